import { randomBytes } from 'node:crypto';
import type { ReplayInput, ReplayState } from '@mailhook/core';
import { publicIdOf, REPLAYS_KEPT } from '@mailhook/core';
import type { Installation } from '@mailhook/delivery';
import type { EntryPosition } from '@mailhook/event-log';
import { ProblemError } from '@mailhook/platform/http-server';
import { withLock } from '@mailhook/platform/redis';

/** A replay as Redis has it. */
export interface StoredReplay {
  readonly id: string;
  readonly account: string;
  /** Internal id. */
  readonly destination: string;
  readonly input: ReplayInput;
  readonly startedAt: string;
  readonly state: 'running' | 'waiting' | 'done' | 'stopped';
  readonly reason: NonNullable<ReplayState['reason']> | '';
  /** Where the next page begins. Undefined before the first page. Of `entries`, `index` is the next one. */
  readonly position: EntryPosition | undefined;
  readonly index: number;
  readonly page: number;
  readonly events: number;
  readonly sent: number;
  readonly missed: number;
  /** Whether everything is read. */
  readonly isFed: boolean;
  /** The page that is being added, if its api has died meanwhile. */
  readonly planned: PlannedPage | undefined;
}

/** What the next page has, and what becomes of the replay when it is added. */
export interface PlannedPage {
  /** Names of entries: outcomes of the page itself change what the next reading would find. */
  readonly entries: readonly string[];
  readonly change: ReplayChange;
}

export type ReplayChange = Partial<
  Omit<StoredReplay, 'id' | 'account' | 'destination' | 'input' | 'startedAt' | 'planned'>
>;

/** Of replays of a range. */
const PER_ACCOUNT_MAX = 3;
const PER_INSTALLATION_MAX = 50;
/** A replay that has ended is kept for this long. */
const KEPT_S = 7 * 86_400;
const START_LOCK_MS = 10_000;

export type Replays = ReturnType<typeof createReplays>;

/** The replays of an installation. All methods reject while Redis is away. */
export function createReplays({ redis, prefix }: Installation) {
  const running = `${prefix}:replays`;
  const keyOf = (id: string): string => `${prefix}:replay:${id}`;
  // No two accounts have a destination of the same id.
  const listOf = (destination: string): string => `${prefix}:replays:${destination}`;

  const read = async (id: string): Promise<StoredReplay | undefined> => {
    const text = await redis.hgetall(keyOf(id));
    return text['account'] === undefined ? undefined : replayOf(id, text);
  };
  const listRunning = async (): Promise<readonly StoredReplay[]> => {
    const ids = await redis.smembers(running);
    const found = await Promise.all(ids.map(async (id) => ({ id, replay: await read(id) })));
    for (const { id, replay } of found) if (replay === undefined) await redis.srem(running, id);
    return found.flatMap(({ replay }) => (replay === undefined ? [] : [replay]));
  };
  const change = async (id: string, fields: ReplayChange): Promise<void> => {
    const { position, ...others } = fields;
    const texts = Object.entries(others).map(([name, value]) => [name, String(value)] as const);
    await redis.hset(
      keyOf(id),
      Object.fromEntries(position === undefined ? texts : [...texts, ['position', JSON.stringify(position)]]),
    );
    if (fields.page !== undefined) await redis.hdel(keyOf(id), 'planned');
    if (fields.state !== 'done' && fields.state !== 'stopped') return;
    await redis.srem(running, id);
    await redis.expire(keyOf(id), KEPT_S);
  };

  return {
    read,
    listRunning,
    change,
    /** Notes the next page before it is added. The change to the page after it forgets this. */
    async plan(id: string, page: PlannedPage): Promise<void> {
      await redis.hset(keyOf(id), 'planned', JSON.stringify(page));
    },
    /** Rejects with a 409 if too many run. */
    async start(account: string, destination: string, input: ReplayInput): Promise<string> {
      for (;;) {
        const done = await withLock(redis, { key: `${prefix}:replays-start`, forMs: START_LOCK_MS }, async () => {
          refuseTooMany(await listRunning(), account, destination, input);
          const id = `r${randomBytes(8).toString('hex')}`;
          const startedAt = new Date().toISOString();
          const fields = { account, destination, input: JSON.stringify(input), startedAt, state: 'running' };
          const list = listOf(destination);
          await redis.hset(keyOf(id), fields);
          await redis.sadd(running, id);
          await redis.lpush(list, id);
          await redis.ltrim(list, 0, REPLAYS_KEPT - 1);
          await redis.expire(list, KEPT_S);
          return id;
        });
        if (done !== undefined) return done.result;
      }
    },
    async list(destination: string): Promise<readonly StoredReplay[]> {
      const ids = await redis.lrange(listOf(destination), 0, -1);
      const found = await Promise.all(ids.map(read));
      return found.filter((one) => one !== undefined);
    },
  };
}

function refuseTooMany(found: readonly StoredReplay[], account: string, destination: string, input: ReplayInput): void {
  if (input.entries !== undefined) return;
  const ofRanges = found.filter((one) => one.input.entries === undefined);
  const own = ofRanges.filter((one) => one.account === account);
  const detail = own.some((one) => one.destination === destination)
    ? 'This destination has a running replay already. Wait for its end, or stop it.'
    : own.length >= PER_ACCOUNT_MAX
      ? `This account has ${PER_ACCOUNT_MAX} running replays already. Wait for the end of one, or stop one.`
      : ofRanges.length >= PER_INSTALLATION_MAX
        ? 'Too many replays run in this installation. Try again later.'
        : undefined;
  if (detail !== undefined) throw new ProblemError('replay_running', { detail });
}

/** A feeder that was stalled may have noted its page after another one has gone on. */
function plannedOf({ planned, page = '0' }: Readonly<Record<string, string>>): PlannedPage | undefined {
  const found = planned === undefined ? undefined : (JSON.parse(planned) as PlannedPage);
  return found?.change.page === Number(page) + 1 ? found : undefined;
}

function replayOf(id: string, text: Readonly<Record<string, string>>): StoredReplay {
  const number = (name: string): number => Number(text[name] ?? 0);
  return {
    id,
    account: text['account'] ?? '',
    destination: text['destination'] ?? '',
    input: JSON.parse(text['input'] ?? '{}') as ReplayInput,
    startedAt: text['startedAt'] ?? '',
    state: (text['state'] ?? 'running') as StoredReplay['state'],
    reason: (text['reason'] ?? '') as StoredReplay['reason'],
    position: text['position'] === undefined ? undefined : (JSON.parse(text['position']) as EntryPosition),
    index: number('index'),
    page: number('page'),
    events: number('events'),
    sent: number('sent'),
    missed: number('missed'),
    isFed: text['isFed'] === 'true',
    planned: plannedOf(text),
  };
}

/** A replay as customers see it. */
export function shownReplay(
  { id, account, destination, input, startedAt, state, reason, events, sent, missed }: StoredReplay,
  { delivered, dead }: { readonly delivered: number; readonly dead: number },
): ReplayState {
  return {
    id,
    destination: publicIdOf(account, destination),
    state,
    ...(reason === '' ? {} : { reason }),
    ...(input.from === undefined ? {} : { from: input.from }),
    ...(input.to === undefined ? {} : { to: input.to }),
    startedAt,
    events,
    sent,
    delivered,
    dead,
    missed,
  };
}
