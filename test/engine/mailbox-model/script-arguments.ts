import type { FollowUpTuple, SettleTuple } from '../../../packages/delivery/src/mailbox/commands.ts';
import { bodyArgument } from '../../../packages/delivery/src/mailbox/commands.ts';
import type { Entry } from './mailbox-state.ts';
import type { FollowUp, Settle } from './settle.ts';

const TIME_CHARS = 8;
const HEAD_CHARS = 12;
export const elementOf = ({ atMs, events }: Entry): string =>
  `${atMs.toString(36).padStart(TIME_CHARS, '0')}${String(events.length).padStart(4, '0')}${events.join('\n')}`;
export const entryOf = (element: string): Entry => ({
  atMs: parseInt(element.slice(0, TIME_CHARS), 36),
  events: element.slice(HEAD_CHARS).split('\n'),
});

/** A settle in the form of the script. Appends its bodies to `bodies`. */
export function tupleOf(
  { id, attempt, delivered, followUps, version, judgesAddress }: Settle,
  bodies: string[],
): SettleTuple {
  const tuples = followUps.map((followUp): FollowUpTuple => followUpTuple(followUp, attempt, bodies));
  const isDead = followUps.some(({ type }) => type === 'd');
  const settle: SettleTuple = [id, delivered.length, tuples, attempt];
  if (isDead) settle.push([`http://127.0.0.1/${version}`, String(version), judgesAddress ? 1 : 0]);
  return settle;
}

function followUpTuple({ type, id, events, waitMs }: FollowUp, attempt: number, bodies: string[]): FollowUpTuple {
  bodies.push(events.join('\n'));
  return [
    type,
    id,
    `msg_${id}`,
    1,
    0,
    '',
    events.length,
    attempt,
    'no',
    waitMs,
    bodyArgument(bodies.length - 1),
    '00000000',
    '',
  ];
}
