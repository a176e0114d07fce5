import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { fields as english } from '../en/fields.ts';

const plural = pluralIn('de');

export const fields: Translated<typeof english> = {
  lead: 'Änderungen gelten sofort, auch für wartende Ereignisse. Nur Arten und Filter gelten allein für neue.',
  name: 'Name',
  nameHint: 'Freiwillig. Listen zeigen ihn statt der Ereignisarten.',
  module: 'Ereignisse von',
  transactional: 'Transaktionsnachrichten',
  campaign: 'Kampagnen',
  transactionalOnly: 'Nur bei Transaktionsnachrichten.',
  ofMessages: 'Von Transaktionsnachrichten.',
  ofCampaigns: 'Von Kampagnen.',
  events: 'Arten von Ereignissen',
  choose: 'Mindestens eine.',
  all: 'Alle',
  allHint: 'Auch künftige Arten.',
  chosen: 'gewählt',
  version: 'Inhalt',
  versionHint: 'Version 2 ergänzt Kennungen, bei Transaktionsnachrichten auch die Empfängeradresse.',
  version1: 'Version 1, wie in der Spezifikation',
  version2: 'Version 2, mit allen Feldern',
  usualVersion: 'Üblich: 1, oder 2, wenn nötig',
  shape: 'Anfragen',
  single: 'Ein Ereignis pro Anfrage',
  array: 'Listen: Ein Status 2xx bestätigt alle Ereignisse',
  batch: 'Stapel: Ihr Server bestätigt jedes Ereignis',
  usualShape: 'Wie üblich: ein Ereignis, bei Kampagnen Stapel',
  maxEvents: 'Höchstens so viele Ereignisse pro Anfrage',
  maxEventsUsual: '1.000',
  maxEventsHint: 'Bei Listen und Stapeln. Mailhook wartet nie, bis sie voll sind.',
  concurrency: 'Höchstens so viele Anfragen gleichzeitig',
  concurrencyUsual: '16, bei Listen und Stapeln 4',
  concurrencyHint: 'Auch 1 verspricht keine Reihenfolge.',
  maxRequestsPerSecond: 'Höchstens so viele Anfragen pro Sekunde',
  maxRequestsPerSecondUsual: 'unbegrenzt',
  maxRequestsPerSecondHint: 'Weitere Ereignisse warten und gehen nicht verloren.',
  filter: 'Filter',
  filterBy: 'Nach Tag, Domain, Metadaten und mehr',
  filterHint:
    'Ereignisse müssen zu jedem ausgefüllten Feld passen und zu einer Zeile einer Liste. Groß- und ' +
    'Kleinschreibung zählt.',
  tried: ({ events, passed }) =>
    plural(events, (number) => ({
      one: html`Das Protokoll hat ${number} Ereignis seiner Arten. Diesen Filter haben bestanden: ${passed}.`,
      other: html`Von den letzten ${number} Ereignissen seiner Arten hätten ${passed} den Filter bestanden.`,
    })),
  nothingToTry: 'Das Protokoll hat noch keine Ereignisse seiner Arten. Deshalb lässt sich der Filter nicht erproben.',
  noTrial:
    'Diese Installation führt kein Protokoll der angenommenen Ereignisse. Deshalb lässt sich der Filter nicht an ' +
    'früheren erproben.',
  tags: 'Tags',
  tagsHint: 'Einer je Zeile.',
  campaigns: 'Kampagnen',
  campaignsHint: 'Hashes, einer je Zeile. Nur für Ereignisse von Kampagnen.',
  domains: 'Domains der Empfänger',
  domainsHint: 'Eine je Zeile. example.net meint nur diese, .example.net auch alle darunter.',
  metadata: 'Metadaten',
  metadataHint: 'Eine Angabe je Zeile, etwa order: 4711. Alle Zeilen müssen zutreffen.',
  labels: 'Labels eigener Ereignisse',
  labelsHint: 'Eines je Zeile.',
  bounce: 'Bounces',
  both: 'Alle',
  hardOnly: 'Nur harte: Die Adresse funktioniert nicht',
  softOnly: 'Nur weiche: alles andere',
  machine: 'Öffnungen und Klicks',
  neverMachine: 'Ohne die von Programmen',
  onlyMachine: 'Nur von Programmen',
  firstOnly: 'Von Öffnungen und Klicks nur die ersten',
  shapeStays: ({ shape }) => html`Der Kampagnen-Webhook bekommt seine Ereignisse ${shape}. Das bleibt so.`,
};
