import type { Translated } from '../catalog.ts';
import type { script as english } from '../en/script.ts';

export const script: Translated<typeof english> = {
  unreachable: 'Mailhook ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  unreachableTyped:
    'Mailhook ist nicht erreichbar. Ihre Eingaben sind nicht verloren: Versuchen Sie es gleich noch einmal.',
  failed:
    'Mailhook konnte das gerade nicht ausführen. Ihre Eingaben sind nicht verloren: Versuchen Sie es noch einmal.',
  ended:
    'Ihre Sitzung ist beendet. Melden Sie sich in einem anderen Fenster an und kommen Sie zurück: Ihre Eingaben ' +
    'hier gehen nicht verloren.',
  endedPortal:
    'Ihre Sitzung ist beendet. Kopieren Sie Ihre Eingaben und öffnen Sie diese Einstellungen erneut von dort, woher ' +
    'Sie kamen.',
  leave: 'Sie haben ungespeicherte Änderungen. Diese Seite ohne sie verlassen?',
  live: 'Live',
  paused: 'Angehalten: Mailhook antwortet nicht',
  copied: 'Kopiert',
  pressToCopy: 'Drücken Sie Strg+C',
};
