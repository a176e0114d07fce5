import type { FollowUpRecord, Settle } from '../../../packages/delivery/src/mailbox/settle-arguments.ts';
import type { Entry } from './mailbox-state.ts';
import type { FollowUp, Settle as ModelSettle } from './settle.ts';

const TIME_CHARS = 8;
const HEAD_CHARS = 12;
export const entryTextOf = ({ atMs, events }: Entry): string =>
  `${atMs.toString(36).padStart(TIME_CHARS, '0')}${String(events.length).padStart(4, '0')}${events.join('\n')}`;
export const entryOf = (text: string): Entry => ({
  atMs: parseInt(text.slice(0, TIME_CHARS), 36),
  events: text.slice(HEAD_CHARS).split('\n'),
});

/** A settle of the model as the mailbox's commands take it. */
export function settleOf({ id, attempt, delivered, followUps, version, judgesAddress }: ModelSettle): Settle {
  const isDead = followUps.some(({ type }) => type === 'dead');
  const tried = {
    address: `http://127.0.0.1/${version}`,
    version,
    isOnlyAddressAtFault: judgesAddress,
  };
  const records = followUps.map((followUp) => recordOf(followUp, attempt));
  const settle = { batch: id, attempt, delivered: delivered.length, followUps: records };
  return isDead ? { ...settle, tried } : settle;
}

const recordOf = ({ type, id, events, waitMs }: FollowUp, attempt: number): FollowUpRecord => ({
  type,
  id,
  webhookId: `msg_${id}`,
  events: events.length,
  body: events.join('\n'),
  attempt,
  error: 'no',
  waitMs,
  acceptedAtMs: 0,
  step: 1,
  search: '',
  traces: [],
});
