import type { Catalog } from '../catalog.ts';
import type { en } from '../en/index.ts';
import { access } from './access.ts';
import { advice } from './advice.ts';
import { alerts } from './alerts.ts';
import { attempt } from './attempt.ts';
import { deadLetters } from './dead-letters.ts';
import { deliveries } from './deliveries.ts';
import { events } from './events.ts';
import { help } from './help.ts';
import { login } from './login.ts';
import { mails } from './mails.ts';
import { script } from './script.ts';
import { secrets } from './secrets.ts';
import { shell } from './shell.ts';

/**
 * German, with "Sie". Buttons are infinitives.
 *
 * | English         | German               | English          | German                     |
 * | --------------- | -------------------- | ---------------- | -------------------------- |
 * | event           | Ereignis             | dead letter      | unzustellbares Ereignis    |
 * | endpoint        | Endpunkt             | deliver again    | erneut zustellen           |
 * | subscription    | Abonnement           | give up          | aufgeben                   |
 * | delivery        | Zustellung           | signing secret   | Signaturschlüssel          |
 * | attempt         | Versuch              | access token     | Zugriffstoken              |
 * | batch           | Stapel               | paused, parked   | pausiert, ausgesetzt       |
 * | confirm         | bestätigen           | switched off     | abgeschaltet               |
 * | request, reply  | Anfrage, Antwort     | waiting          | wartend                    |
 */
export const de: Catalog<typeof en> = {
  access,
  advice,
  alerts,
  attempt,
  deadLetters,
  deliveries,
  events,
  help,
  login,
  mails,
  script,
  secrets,
  shell,
};
