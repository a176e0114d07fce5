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
 * English, the source of all messages. A message is a whole sentence, or a word that stands alone. Words as in the
 * glossary of ARCHITECTURE.md, with those for customers: endpoint, confirm, deliver again.
 */
export const en = {
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
