import { access } from './access.ts';
import { advice } from './advice.ts';
import { alerts } from './alerts.ts';
import { help } from './help.ts';
import { login } from './login.ts';
import { mails } from './mails.ts';
import { secrets } from './secrets.ts';
import { shell } from './shell.ts';

/**
 * English, the source of all messages. A message is a whole sentence, or a word that stands alone. Words as in the
 * glossary of ARCHITECTURE.md, with those for customers: endpoint, confirm, deliver again.
 */
export const en = { access, advice, alerts, help, login, mails, secrets, shell };
