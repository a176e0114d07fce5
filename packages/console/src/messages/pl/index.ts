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
 * Polish, without forms of address: sentences say what is to be done ("należy", "trzeba", "można"), and only buttons
 * are imperatives.
 *
 * | English         | Polish              | English          | Polish                     |
 * | --------------- | ------------------- | ---------------- | -------------------------- |
 * | event           | zdarzenie           | dead letter      | niedostarczone zdarzenie   |
 * | endpoint        | endpoint            | deliver again    | dostarczyć ponownie        |
 * | subscription    | subskrypcja         | give up          | zaniechać                  |
 * | delivery        | dostarczenie        | signing secret   | klucz podpisu              |
 * | attempt         | próba               | access token     | token dostępu              |
 * | batch           | paczka              | paused, parked   | wstrzymany, zawieszony     |
 * | confirm         | potwierdzić         | switched off     | wyłączony                  |
 * | request, reply  | żądanie, odpowiedź  | waiting          | oczekujący                 |
 */
export const pl: Catalog<typeof en> = {
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
