import type { DeadLetter, DeadLetterGroup } from '../contracts/delivery.ts';
import { coded, CodedText } from './coded-text.ts';
import type { TextCode } from './coded-text.ts';
import { hash32 } from './hash32.ts';

/**
 * The error without what differs from event to event: hashes, and how many events an acknowledgement leaves out. One
 * request may confirm some of them, and the next none of the rest.
 */
export function causeIn({ code, values }: CodedText): CodedText {
  if (code === 'no-item' || code === 'no-item-more') return coded('no-item', { hashes: coded('some-events') });
  if (code === 'other-item') return coded(code, { hash: coded('some-events'), other: coded('other-hash') });
  return new CodedText(LEAVES_OUT.includes(code) ? 'confirms-not-all' : code, ofAll(values));
}

const LEAVES_OUT: readonly TextCode[] = ['confirms-not', 'confirms-none', 'confirms-some'];

const ofAll = (values: CodedText['values']): CodedText['values'] =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (value instanceof CodedText) return [name, causeIn(value)];
      return [name, name === 'hash' && value !== '' ? coded('an-event') : value];
    }),
  );

/**
 * The same for all errors that differ only in events, numbers or quoted texts. A status of HTTP is a part of the cause.
 */
export function causeOf(error: CodedText): string {
  const same = String(causeIn(error))
    .replaceAll(/“[^”]*”/g, '“”')
    .replaceAll(/(?<!HTTP )\b\d[\d,.]*/g, '0');
  return hash32(same).toString(36);
}

type Grouped = Pick<DeadLetter, 'destination' | 'error'>;

export const deadLetterGroupId = ({ destination, error }: Grouped): string => `${causeOf(error)}.${destination}`;

/**
 * Groups dead letters by cause and destination, those with the most events first. `letters`: newest first. `newer`: the
 * groups of those before them.
 */
export function groupDeadLetters(
  letters: readonly DeadLetter[],
  newer: readonly DeadLetterGroup[] = [],
): DeadLetterGroup[] {
  const groups = new Map(newer.map((group) => [group.id, group]));
  for (const letter of letters) {
    const { destination, kind, module, shape, error, events, time } = letter;
    const id = deadLetterGroupId(letter);
    const { deadLetters = 0, events: before = 0, error: newest = error } = groups.get(id) ?? {};
    groups.set(id, {
      id,
      cause: causeOf(error),
      destination,
      kind,
      module,
      shape: groups.get(id)?.shape ?? shape,
      error: newest,
      deadLetters: deadLetters + 1,
      events: before + events,
      oldest: time,
    });
  }
  return [...groups.values()].sort((a, b) => b.events - a.events);
}
