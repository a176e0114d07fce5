import { pluralIn } from '../catalog.ts';
import type { Translated } from '../catalog.ts';
import type { stops as english } from '../en/stops.ts';

const plural = pluralIn('de');

export const stops: Translated<typeof english> = {
  cancel: 'Abbrechen',
  noneWaits: 'Für diesen Endpunkt warten jetzt keine Ereignisse.',
  discards: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} wartendes Ereignis wird verworfen. Das kann nicht rückgängig gemacht werden.`,
      other: `${number} wartende Ereignisse werden verworfen. Das kann nicht rückgängig gemacht werden.`,
    })),
  givesUp: ({ events }) =>
    plural(events, (number) => ({
      one: `${number} wartendes Ereignis gilt als unzustellbar. Sie können es 7 Tage lang erneut zustellen.`,
      other: `${number} wartende Ereignisse gelten als unzustellbar. Sie können sie 7 Tage lang erneut zustellen.`,
    })),
  keeps: ({ events }) =>
    plural(events, (number) => ({
      one: `Auch ${number} wartendes Ereignis wird aufbewahrt.`,
      other: `Auch ${number} wartende Ereignisse werden aufbewahrt.`,
    })),
  notKept: 'Neue Ereignisse werden von da an nicht aufbewahrt.',
  pauseKeeps: 'Bei einer Pause bleiben sie erhalten.',

  offTitle: 'Diesen Endpunkt abschalten?',
  pauseInstead: 'Stattdessen 1 Tag pausieren',
  pausing: 'Wird pausiert…',
  switchOff: 'Abschalten',
  switching: 'Wird abgeschaltet…',
  removeTitle: 'Die Adresse entfernen?',
  withoutAddress: 'Ohne Adresse werden Kampagnenereignisse nicht zugestellt.',
  remove: 'Adresse entfernen',
  removing: 'Wird entfernt…',
  emptied: 'Nichts wurde geändert. Geben Sie eine Adresse ein oder drücken Sie „Adresse entfernen“.',
  deleteTitle: 'Diesen Endpunkt löschen?',
  deletesAll: 'Auch seine Einstellungen und Signaturschlüssel werden gelöscht.',
  delete: 'Endpunkt löschen',
  deleting: 'Wird gelöscht…',
  pauseTitle: 'Diesen Endpunkt pausieren?',
  pauseText:
    'Neue Ereignisse werden aufbewahrt und gesendet, wenn die Pause endet. Ab dem Limit wartender Ereignisse Ihres ' +
    'Kontos werden die neuesten abgelehnt.',
  pauseFor: 'Pausieren für',
  hours: ({ hours }) => plural(hours, (number) => ({ one: `${number} Stunde`, other: `${number} Stunden` })),
  days: ({ days }) => plural(days, (number) => ({ one: `${number} Tag`, other: `${number} Tage` })),
  pause: 'Zustellung pausieren',

  switchedOff:
    'Abgeschaltet. Neue Ereignisse werden nicht aufbewahrt. Wartende Ereignisse gelten als unzustellbar; Sie können ' +
    'sie erneut zustellen, sobald der Endpunkt wieder eingeschaltet ist.',
  removed: 'Entfernt. Es gibt jetzt keine Adresse, also werden keine Kampagnenereignisse zugestellt.',
  deleted: 'Gelöscht. Die wartenden Ereignisse werden verworfen.',

  newAddressTitle: 'Neue Adresse verwenden?',
  newAddress: 'Neue und wartende Ereignisse gehen ab dann dorthin.',
  noNewAddress:
    'Die Versuche zeigen nicht, wohin Ihr Server weiterleitet. Geben Sie die Adresse in den Einstellungen ein.',
};
