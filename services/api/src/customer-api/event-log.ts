import {
  coded,
  compileFilter,
  destinationIdOf,
  eventOfFields,
  FILTER_TRIED_ON,
  LOG_PAGE_DEFAULT,
  typesIn,
} from '@mailhook/core';
import type {
  CustomerServices,
  Filtered,
  FilterTrial,
  LogItem,
  LogSearchInput,
  ReplayCount,
  ReplayInput,
  ReplayState,
  ShownDestination,
} from '@mailhook/core';
import { parseEntryName } from '@mailhook/event-log';
import type { LoggedGap } from '@mailhook/event-log';
import type { DestinationRegistry, ReplayProgress } from '@mailhook/delivery';
import type { EventFinder } from '@mailhook/insight';
import { invalid, ProblemError } from '@mailhook/platform/http-server';
import type { AccountReader } from '../accounts/account-reader.ts';
import { destinationsOfAccount } from '../accounts/destinations-of-account.ts';
import type { RequestLimits } from '../auth/request-limits.ts';
import { unknownNames } from '../event-log/feeder.ts';
import type { OpenLog } from '../event-log/open.ts';
import { replayQuery } from '../event-log/replay-query.ts';
import { shownReplay } from '../event-log/replays.ts';
import type { Replays, StoredReplay } from '../event-log/replays.ts';
import { entriesOf } from './attempt-entries.ts';
import { attemptsOf } from './entry-attempts.ts';
import { isoOf, shownItem } from './logged-item.ts';
import { unknownDestination } from './stored-destinations.ts';

interface EventLogDeps {
  /** Undefined while the log is off. */
  readonly open: OpenLog | undefined;
  readonly replays: Replays;
  readonly progress: ReplayProgress;
  readonly reader: AccountReader;
  readonly registry: Pick<DestinationRegistry, 'hasRecord'>;
  readonly finder: EventFinder;
  readonly limits: Pick<RequestLimits, 'scan'>;
  readonly readAttempt: CustomerServices['readAttempt'];
}

type Service = CustomerServices['eventLog'];

/** What customers do with the event log. */
export function createEventLogService(deps: EventLogDeps): Service {
  const { replays, limits } = deps;
  const opened = (): OpenLog => {
    if (deps.open === undefined) throw new ProblemError('event_log_off', { detail: coded('event-log-off') });
    return deps.open;
  };
  const findReplay = async (account: string, destination: string, id: string): Promise<StoredReplay> => {
    opened();
    const found = await replays.read(id);
    if (found?.account !== account || found.destination !== destinationIdOf(account, destination))
      throw new ProblemError('not_found', { detail: coded('unknown-replay') });
    return found;
  };
  const shown = async (replay: StoredReplay): Promise<ReplayState> =>
    shownReplay(replay, await deps.progress.readResults(replay.account, replay.id));
  return {
    isOn: deps.open !== undefined,
    keptMs: deps.open?.retentionMs ?? 0,
    search: (account, input) => limits.scan(account, () => search(opened(), account, input)),
    tryFilter: (account, filtered) => limits.scan(account, () => tryFilter(opened(), account, filtered)),
    read: (account, entry) => limits.scan(account, () => readEntry(deps, opened(), account, entry)),
    async replay(account, destination, input) {
      const open = opened();
      const target = await activeDestination(deps, account, destination);
      refuseInput(open, input);
      if (input.dryRun === true) return limits.scan(account, () => count(open, account, target, input));
      return { id: await replays.start(account, destinationIdOf(account, destination), input) };
    },
    async sendAgain(account, id) {
      const open = opened();
      const attempt = await deps.readAttempt(account, id);
      const { destination = '' } = attempt;
      await activeDestination(deps, account, destination);
      const entries = await limits.scan(account, () => entriesOf(open, account, attempt));
      if (entries.length === 0) throw unknownEntry();
      await replays.start(account, destinationIdOf(account, destination), { entries });
      return { destination, sent: entries.length, missing: attempt.events - entries.length };
    },
    async lacksPast(account, destination) {
      const [open, id] = [opened(), destinationIdOf(account, destination)];
      if ((await replays.list(id)).length > 0) return false;
      const target = await activeDestination(deps, account, destination);
      const { query } = replayQuery(account, target, {}, Number.POSITIVE_INFINITY);
      const { content } = await open.readRecent(account);
      const [oldest] = (await limits.scan(account, () => open.log.scan(query, content, { limit: 1 }))).items;
      return oldest?.outcomes.every((one) => one.destination !== id) === true;
    },
    async replays(account, destination) {
      opened();
      const found = await replays.list(destinationIdOf(account, destination));
      return Promise.all(found.filter((one) => one.account === account).map(shown));
    },
    readReplay: async (account, destination, id) => shown(await findReplay(account, destination, id)),
    async stopReplay(account, destination, id) {
      const replay = await findReplay(account, destination, id);
      if (replay.state === 'running' || replay.state === 'waiting')
        await replays.change(id, { state: 'stopped', reason: 'person' });
      return shown(await findReplay(account, destination, id));
    },
  };
}

async function search(
  { log, readRecent }: OpenLog,
  account: string,
  { from, to, destination, limit = LOG_PAGE_DEFAULT, cursor, ...filters }: LogSearchInput,
): Promise<Awaited<ReturnType<Service['search']>>> {
  const { content, completeUntilMs } = await readRecent(account);
  const query = {
    account,
    ...filters,
    ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
    ...(to === undefined ? {} : { toMs: Date.parse(to) }),
    ...(destination === undefined ? {} : { destination: destinationIdOf(account, destination) }),
  };
  const page = await log.search(query, content, { limit, cursor }).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    throw invalid([{ path: 'cursor', message: 'must be the nextCursor of this search, unchanged, with its filters' }]);
  });
  const { nextCursor, searchedUntilMs } = page;
  return {
    items: withGaps(page.items.map(shownItem), page.gaps.map(shownGap)),
    ...(nextCursor === undefined ? {} : { nextCursor }),
    completeUntil: isoOf(completeUntilMs),
    ...(searchedUntilMs === undefined ? {} : { searchedUntil: isoOf(searchedUntilMs) }),
  };
}

async function tryFilter(
  { log, readRecent }: OpenLog,
  account: string,
  { module, types, filter }: Filtered,
): Promise<FilterTrial> {
  const query = { account, module, types: typesIn(module, types) };
  const { items } = await log.search(query, (await readRecent(account)).content, { limit: FILTER_TRIED_ON });
  const passes = compileFilter(filter ?? {});
  return { events: items.length, passed: items.filter(({ event }) => passes(eventOfFields(event))).length };
}

type Gap = ReturnType<typeof shownGap>;

const shownGap = ({ fromMs, toMs, events, reason }: LoggedGap) => ({
  gap: { from: isoOf(fromMs), to: isoOf(toMs), ...(events === 0 ? {} : { events }), reason },
});

/** Newest first, each gap before the first item that is older than its end. */
function withGaps(items: readonly LogItem[], gaps: readonly Gap[]): (LogItem | Gap)[] {
  const timeOf = (one: LogItem | Gap): string => ('gap' in one ? one.gap.to : one.acceptedAt);
  return gaps.length === 0
    ? [...items]
    : [...gaps, ...items].sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : 0));
}

const unknownEntry = () => new ProblemError('not_found', { detail: coded('unknown-entry') });

async function readEntry({ reader, finder }: EventLogDeps, open: OpenLog, account: string, entry: string) {
  if (parseEntryName(entry) === undefined) throw unknownEntry();
  const { content } = await open.readRecent(account);
  const [found] = await open.log.find(account, [entry], content);
  if (found === undefined) throw unknownEntry();
  const item = shownItem(found);
  const destinations = destinationsOfAccount(account, await reader.destinations(account));
  return { ...item, attempts: await attemptsOf({ finder, log: open.log, content, destinations }, found, item) };
}

/** Rejects with a 404, or with a 409 for one that is inactive or deleted. */
async function activeDestination(deps: EventLogDeps, account: string, id: string): Promise<ShownDestination> {
  const found = (await deps.reader.destinations(account)).find((one) => one.id === id);
  if (found?.active === true) return found;
  if (found !== undefined) throw new ProblemError('conflict', { detail: coded('replay-inactive') });
  if (!(await deps.registry.hasRecord(account, destinationIdOf(account, id)))) throw unknownDestination();
  throw new ProblemError('conflict', { detail: coded('replay-deleted') });
}

function refuseInput({ retentionMs }: OpenLog, { from, entries = [] }: ReplayInput): void {
  const oldestMs = Date.now() - retentionMs;
  if (from !== undefined && Date.parse(from) < oldestMs)
    throw invalid([{ path: 'from', message: `must not be before ${isoOf(oldestMs)}, from when events are kept` }]);
  const unknown = unknownNames(entries);
  if (unknown.length > 0)
    throw invalid(unknown.map((position) => ({ path: `entries.${position}`, message: 'is not an entry of the log' })));
}

async function count(
  { log, readRecent }: OpenLog,
  account: string,
  destination: ShownDestination,
  input: ReplayInput,
): Promise<ReplayCount> {
  const { content, completeUntilMs } = await readRecent(account);
  const { query, passes } = replayQuery(account, destination, input, Number.POSITIVE_INFINITY);
  const { events, isComplete } = await log.count(query, content, passes);
  return { events, isComplete, until: isoOf(completeUntilMs) };
}
