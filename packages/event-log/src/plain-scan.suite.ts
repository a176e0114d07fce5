import { eventOfFields } from '@mailhook/core';
import type { EventOutcome, LogContent, LoggedGap, LogItem } from './entry.ts';
import { compareEntries } from './entry.ts';
import { outcomeKeysOf } from './event-keys.ts';
import type { LogQuery } from './query.ts';

/** What a search must find, said as plainly as it can be: a filter over a list. Newest first. */
export function scanPlainly(
  content: LogContent,
  query: LogQuery,
  isHidden: (item: LogItem['event']) => boolean = () => false,
): { items: LogItem[]; gaps: LoggedGap[] } {
  const { account, fromMs = 0, toMs = Infinity } = query;
  const items = content.events
    .filter((event) => event.account === account && event.acceptedAtMs >= fromMs && event.acceptedAtMs < toMs)
    .filter((event) => !isHidden(event))
    .toSorted((a, b) => compareEntries(b, a))
    .map((event) => ({ event, outcomes: outcomesOf(event, content) }))
    .filter((item) => isWanted(item, query));
  const gaps = content.gaps.filter((gap) => gap.account === account && gap.fromMs < toMs && gap.toMs >= fromMs);
  return { items, gaps: gaps.filter((gap, i) => gaps.findIndex((one) => isEqual(one, gap)) === i) };
}

const isEqual = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b);

function outcomesOf(event: LogItem['event'], { outcomes }: LogContent): EventOutcome[] {
  const keys = new Set(outcomeKeysOf(event));
  const mine = outcomes.filter(
    (one) =>
      one.account === event.account &&
      Array.from({ length: one.keys.length / 8 }, (_, i) =>
        Buffer.from(one.keys.subarray(8 * i, 8 * i + 8)).toString('hex'),
      ).some((key) => keys.has(key)),
  );
  const newest = new Map<string, EventOutcome>();
  for (const { destination, result, attempt, atMs, webhookId, replay } of mine) {
    const known = newest.get(destination);
    if (known === undefined || atMs >= (known.atMs ?? 0))
      newest.set(destination, { destination, result, attempt, atMs, webhookId, replay });
  }
  const waiting = (destination: string): EventOutcome => ({
    destination,
    result: 'waiting',
    attempt: 0,
    webhookId: '',
    replay: '',
  });
  const own = event.destinations.map((one) => newest.get(one) ?? waiting(one));
  const others = [...newest.values()].filter((one) => !event.destinations.includes(one.destination));
  return [...own, ...others.sort((a, b) => (a.destination < b.destination ? -1 : 1))];
}

function isWanted({ event, outcomes }: LogItem, query: LogQuery): boolean {
  const source = eventOfFields(event) as unknown as Readonly<Record<string, string | undefined>>;
  const { missedBy, types, destination, outcome } = query;
  const type = source['module'] === 'campaign' ? source['event'] : source['name'];
  for (const field of ['module', 'id', 'messageId', 'campaign'] as const)
    if (query[field] !== undefined && source[field] !== query[field]) return false;
  if (query.email !== undefined && source['email']?.toLowerCase() !== query.email.toLowerCase()) return false;
  if (types !== undefined && !types.some((one) => one === type)) return false;
  const missed = missedBy && outcomes.find((one) => one.destination === missedBy.destination)?.result;
  if (missedBy?.how === 'unmatched' && missed !== undefined) return false;
  if (missedBy?.how === 'undelivered' && missed !== 'dead' && missed !== 'discarded') return false;
  const there = outcomes.filter((one) => destination === undefined || one.destination === destination);
  if (outcome === 'none') return there.length === 0;
  if (outcome !== undefined) return there.some(({ result }) => result === outcome);
  return destination === undefined || there.length > 0;
}
