import { destinationIdOf, eventOfFields, KINDS } from '@mailhook/core';
import type { LoggedFields, ShownDestination } from '@mailhook/core';
import type { Installation, Publisher, ReplayProgress, ReplayPublisher } from '@mailhook/delivery';
import { entryName, parseEntryName } from '@mailhook/event-log';
import type { LogItem } from '@mailhook/event-log';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { every } from '@mailhook/platform/timers';
import type { Logger } from '@mailhook/platform/logger';
import { isMemoryNearlyFull, withLock } from '@mailhook/platform/redis';
import type { OpenLog } from './open.ts';
import { replayQuery } from './replay-query.ts';
import type { PlannedPage, ReplayChange, Replays, StoredReplay } from './replays.ts';

const EVERY_MS = 500;
/** Events of one page, and those that may wait at the destination. */
const PAGE_EVENTS = 500;
const WAITING_MAX = 1000;
/** Another api goes on with a replay after this time without a sign of the one that fed it. */
const LEASE_MS = 30_000;

export interface FeederDeps {
  readonly installation: Installation;
  readonly open: OpenLog;
  readonly replays: Replays;
  readonly publisher: Pick<Publisher, 'isOverfull'>;
  readonly replayPublisher: ReplayPublisher;
  readonly progress: ReplayProgress;
  readonly destinations: (account: string) => Promise<readonly ShownDestination[]>;
  readonly logger: Logger;
}

/** Feeds running replays, each page by one api. A crash repeats nothing: a page is noted, and its job is numbered. */
export function startFeeder(deps: FeederDeps): Closeable {
  const { replays, installation, logger } = deps;
  const { redis, prefix } = installation;
  const feedAll = async (): Promise<void> => {
    for (const { id } of await replays.listRunning()) {
      await withLock(redis, { key: `${prefix}:replay:${id}:feed`, forMs: LEASE_MS }, async () => {
        const replay = await replays.read(id);
        if (replay !== undefined && replay.state !== 'done' && replay.state !== 'stopped') await feed(deps, replay);
      }).catch((error: unknown) =>
        logger.warn('a replay could not go on; the next try follows', { error, replay: id }),
      );
    }
  };
  return every(EVERY_MS, () =>
    feedAll().catch((error: unknown) => void logger.warn('the replays could not be read', { error })),
  );
}

type Reason = StoredReplay['reason'];

async function feed(deps: FeederDeps, replay: StoredReplay): Promise<void> {
  const { replays } = deps;
  const change = async (state: StoredReplay['state'], reason: Reason, more: ReplayChange = {}): Promise<void> => {
    const now = await replays.read(replay.id);
    // This api stood still for longer than its lease, and another one went on.
    if (now?.page !== replay.page) return;
    // A person may have stopped it meanwhile.
    await replays.change(replay.id, now.state === 'stopped' ? more : { state, reason, ...more });
  };
  const destination = (await deps.destinations(replay.account)).find(
    ({ id }) => destinationIdOf(replay.account, id) === replay.destination,
  );
  if (destination === undefined) return change('stopped', 'deleted');
  if (!destination.active) return change('stopped', 'inactive');
  if (replay.isFed)
    return (await deps.progress.isUnfinished(lastPageOf(replay, destination))) ? undefined : change('done', '');
  const hindrance = await hindranceOf(deps, replay, destination);
  if (hindrance !== undefined) return hindrance === 'page' ? undefined : change('waiting', hindrance);
  let page: Page;
  try {
    page = await nextPage(deps, replay, destination);
  } catch (error) {
    deps.logger.warn('the event log could not be read for a replay', { error, replay: replay.id });
    return change('waiting', 'store');
  }
  const { items, route, planned } = page;
  const events = items.map(({ event }) => ({ event: eventOfFields(event), chunk: event.chunk, number: event.n }));
  if (replay.planned === undefined) await replays.plan(replay.id, planned);
  await deps.replayPublisher.publish({ replay: replay.id, page: replay.page, route, events });
  const { state = 'running', reason = '', ...more } = planned.change;
  return change(state, reason, more);
}

const lastPageOf = ({ id, account, destination, page }: StoredReplay, { module }: ShownDestination) => ({
  id,
  account,
  kind: KINDS[module],
  destination,
  page: page - 1,
});

/** What keeps the next page back. `page`: the last one is not at the destination yet. */
async function hindranceOf(
  { installation, publisher, progress }: FeederDeps,
  replay: StoredReplay,
  destination: ShownDestination,
): Promise<Reason | 'page' | undefined> {
  const place = await progress.readPlace(lastPageOf(replay, destination));
  if (place.isPaused) return 'paused';
  const isFull = place.waiting >= WAITING_MAX || publisher.isOverfull(replay.account);
  if (isFull || (await isMemoryNearlyFull(installation.redis))) return 'full';
  return place.isQueued ? 'page' : undefined;
}

interface Page {
  readonly items: readonly LogItem[];
  readonly route: ReturnType<typeof replayQuery>['route'];
  readonly planned: PlannedPage;
}

async function nextPage(deps: FeederDeps, replay: StoredReplay, destination: ShownDestination): Promise<Page> {
  const { log, readRecent } = deps.open;
  const { account, input } = replay;
  const { content, completeUntilMs } = await readRecent(account);
  const { query, route, passes } = replayQuery(account, destination, input, completeUntilMs);
  const find = (names: readonly string[]) => log.find(account, names, content);
  if (replay.planned !== undefined)
    return { items: await find(replay.planned.entries), route, planned: replay.planned };
  const plan = (items: readonly LogItem[], change: ReplayChange): Page => {
    const [sent, events] = [replay.sent + items.length, replay.events + items.length];
    const entries = items.map(({ event }) => entryName(event));
    return { items, route, planned: { entries, change: { page: replay.page + 1, sent, events, ...change } } };
  };
  if (input.entries !== undefined) {
    const names = input.entries.slice(replay.index, replay.index + PAGE_EVENTS);
    const wanted = (await find(names)).filter(({ event }) => isTaken(event, query));
    const index = replay.index + names.length;
    const missed = replay.missed + names.length - wanted.length;
    return plan(wanted, { index, missed, isFed: index >= input.entries.length });
  }
  const scanned = await log.scan(query, content, { limit: PAGE_EVENTS, after: replay.position });
  const items = scanned.items.filter(({ event }) => passes?.(event) !== false);
  const isComplete = completeUntilMs >= Date.parse(input.to ?? '');
  return plan(items, {
    position: scanned.position ?? replay.position,
    missed: replay.missed + scanned.lost,
    isFed: scanned.isAtEnd && isComplete,
    ...(scanned.isAtEnd && !isComplete ? { state: 'waiting', reason: 'complete' } : {}),
  });
}

/** An entry that the customer names is still one of the destination's module and types. */
function isTaken(logged: LoggedFields, { module, types }: ReturnType<typeof replayQuery>['query']): boolean {
  const event = eventOfFields(logged);
  const type = event.module === 'campaign' ? event.event : event.name;
  return event.module === module && types?.includes(type) === true;
}

/** The names of entries that are no names. */
export const unknownNames = (entries: readonly string[]): readonly number[] =>
  entries.flatMap((name, position) => (parseEntryName(name) === undefined ? [position] : []));
