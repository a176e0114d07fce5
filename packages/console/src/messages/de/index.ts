import type { Catalog } from '../catalog.ts';
import type { en } from '../en/index.ts';
import { access } from './access.ts';
import { actions } from './actions.ts';
import { advice } from './advice.ts';
import { alerts } from './alerts.ts';
import { attempt } from './attempt.ts';
import { catalog } from './catalog.ts';
import { changes } from './changes.ts';
import { charts } from './charts.ts';
import { checks } from './checks.ts';
import { deadLetters } from './dead-letters.ts';
import { deliveries } from './deliveries.ts';
import { endpoints } from './endpoints.ts';
import { eventLog } from './event-log.ts';
import { events } from './events.ts';
import { faults } from './faults.ts';
import { fields } from './fields.ts';
import { help } from './help.ts';
import { login } from './login.ts';
import { mails } from './mails.ts';
import { outcomes } from './outcomes.ts';
import { overview } from './overview.ts';
import { problems } from './problems.ts';
import { reasons } from './reasons.ts';
import { replays } from './replays.ts';
import { scope } from './scope.ts';
import { script } from './script.ts';
import { secrets } from './secrets.ts';
import { setup } from './setup.ts';
import { shell } from './shell.ts';
import { states } from './states.ts';
import { stops } from './stops.ts';
import { tokens } from './tokens.ts';
import { several, types } from './types.ts';

/**
 * German, with "Sie". Buttons are infinitives.
 *
 * | English         | German               | English          | German                     |
 * | --------------- | -------------------- | ---------------- | -------------------------- |
 * | event           | Ereignis             | dead letter      | unzustellbare Anfrage      |
 * | endpoint        | Endpunkt             | deliver again    | erneut zustellen           |
 * | subscription    | Abonnement           | give up          | aufgeben                   |
 * | delivery        | Zustellung           | signing secret   | Signaturschlüssel          |
 * | attempt         | Versuch              | access token     | Zugriffstoken              |
 * | batch (shape)   | Stapel               | paused, parked   | pausiert, ausgesetzt       |
 * | confirm         | bestätigen           | switched off     | abgeschaltet               |
 * | request, reply  | Anfrage, Antwort     | waiting          | wartend                    |
 */
export const de: Catalog<typeof en> = {
  access,
  actions,
  advice,
  alerts,
  attempt,
  catalog,
  changes,
  charts,
  checks,
  deadLetters,
  deliveries,
  endpoints,
  eventLog,
  events,
  faults,
  fields,
  help,
  login,
  mails,
  outcomes,
  overview,
  problems,
  reasons,
  replays,
  scope,
  script,
  secrets,
  setup,
  several,
  shell,
  states,
  stops,
  tokens,
  types,
};
