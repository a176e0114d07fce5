import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { fields as english } from '../en/fields.ts';

const plural = pluralIn('de');

export const fields: Translated<typeof english> = {
  title: 'Was er bekommt',
  lead:
    'Auch wartende Ereignisse gehen an eine neue Adresse. Arten und Filter gelten ab dem nächsten angenommenen ' +
    'Ereignis, die anderen Einstellungen ab der nächsten Anfrage.',
  name: 'Name',
  nameHint: 'Für Sie. Wird statt der Ereignisse angezeigt.',
  module: 'Ereignisse von',
  transactional: 'Transaktionsnachrichten',
  campaign: 'Kampagnen',
  transactionalOnly: 'Nur bei Transaktionsnachrichten.',
  ofMessages: 'Von Transaktionsnachrichten.',
  ofCampaigns: 'Von Kampagnen.',
  events: 'Arten von Ereignissen',
  choose: 'Mindestens eine.',
  all: 'Alle',
  allHint: 'Auch Arten, die es erst geben wird. Wählen Sie dann sonst nichts.',
  chosen: 'gewählt',
  version: 'Inhalt',
  versionHint: 'Version 2 ergänzt Kennung, alles vom Sender, bei Transaktionsnachrichten die Empfängeradresse.',
  version1: 'Version 1, wie in der Spezifikation',
  version2: 'Version 2, mit allen Feldern',
  usualVersion: 'Version 1, wenn sie die gewählten Ereignisse hat, sonst Version 2',
  shape: 'Anfragen',
  single: 'Ein Ereignis pro Anfrage',
  array: 'Listen: Ein Status 2xx bestätigt alle Ereignisse',
  batch: 'Stapel: Ihr Server bestätigt jedes Ereignis',
  usualShape: 'Wie üblich: ein Ereignis, bei Kampagnen Stapel',
  maxEvents: 'Höchstens so viele Ereignisse pro Anfrage',
  maxEventsHint: 'Für Listen und Stapel. Leer: 1.000. Mailhook wartet nie, um eine Anfrage zu füllen.',
  concurrency: 'Höchstens so viele Anfragen gleichzeitig',
  concurrencyHint: 'Leer: 16, bei Listen und Stapeln 4. Auch mit 1 ist keine Reihenfolge zugesagt.',
  maxRequestsPerSecond: 'Höchstens so viele Anfragen pro Sekunde',
  maxRequestsPerSecondHint: 'Leer: kein Limit. Ereignisse darüber hinaus warten und gehen nicht verloren.',
  filter: 'Filter',
  filterHint:
    'Alles, was ausgefüllt ist, muss zutreffen. Von einer Liste genügt eine Zeile. Groß- und Kleinschreibung ' +
    'zählt.',
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
