import { html } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { scope as english } from '../en/scope.ts';

const plural = pluralIn('de');

export const scope: Translated<typeof english> = {
  gets: ({ events, shape }) => html`Bekommt ${events}, ${shape}`,
  getsWithRecipient: ({ events, shape }) => html`Bekommt ${events}, ${shape}; enthält die Adresse des Empfängers`,
  everything: 'alle Ereignisse, auch künftiger Arten,',
  transactional_email: 'von Transaktionsnachrichten',
  campaign: 'von Kampagnen',
  single: 'je eines pro Anfrage',
  array: ({ max }) =>
    plural(max, (number) => ({ one: `als Liste mit ${number} Ereignis`, other: `als Listen von bis zu ${number}` })),
  batch: ({ max }) =>
    plural(max, (number) => ({
      one: `in Stapeln mit ${number} Ereignis`,
      other: `in Stapeln von bis zu ${number}`,
    })),
  confirmedEach: 'jedes Ereignis einzeln bestätigt',

  tagged: ({ tags }) => html`mit dem Tag ${tags}`,
  ofCampaigns: ({ campaigns }) => html`mit dem Hash ${campaigns}`,
  toDomains: ({ domains }) => html`an Empfänger bei ${domains}`,
  withMetadata: ({ pairs }) => html`mit den Metadaten ${pairs}`,
  hard: 'ohne weiche Bounces',
  soft: 'ohne harte Bounces',
  byPeople: 'ohne Öffnungen und Klicks von Programmen',
  byPrograms: 'von Öffnungen und Klicks nur die von Programmen',
  firstOnly: 'von Öffnungen und Klicks nur die ersten',
  labeled: ({ labels }) => html`von den eigenen Ereignissen der Plattform nur ${labels}`,

  frequent:
    'sent und delivered kommen mit jeder Nachricht. Mit einem Ereignis pro Anfrage kostet jedes davon Ihren ' +
    'Server eine Anfrage. Gehen viele Nachrichten zugleich hinaus, brauchen Listen mit 100 Ereignissen bis zu ' +
    '100-mal weniger Anfragen. In unserer Messung kosteten sie ein Sechstel der Rechenzeit pro Ereignis.',
  untagged:
    'Ein Ereignis ohne das, was dieser Filter verlangt, kommt nicht durch. Deshalb kommen Abmeldungen ohne ' +
    'passenden Tag, passende Kampagne, Domain oder Metadaten nicht an.',
};
