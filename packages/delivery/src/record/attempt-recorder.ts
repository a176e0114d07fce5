import { memoryUsedShare } from '@mailhook/platform/redis';
import type { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { createRunner } from '../mailbox/functions.ts';
import type { RunCommand } from '../mailbox/functions.ts';
import type { AttemptRecord } from './attempt-record.ts';
import { rowOf } from './attempt-row.ts';
import { bodyHour, bodyLifetimeS, bodyRow } from './kept-body.ts';
import { LOGGED_ROWS_KEPT, ROWS_PER_BLOCK } from '../mailbox/constants.ts';
import { createRowPacker } from './row-packer.ts';
import type { PackRows, RipeRows } from './row-packer.ts';

/** Writes the log of attempts. */
export interface AttemptRecorder {
  /**
   * Buffers an attempt and writes it later with others. Delivered attempts may be lost under overload, which is
   * counted, or while Redis is away. `delivered`: the events of its request as fragments, if it delivered some.
   */
  record(attempt: AttemptRecord, delivered?: string): void;
  /**
   * Whether a delivered attempt of the account would be kept now. If not, it counts as dropped, and the caller need not
   * build its record.
   */
  takesDelivered(account: string): boolean;
  /** Writes the buffered attempts now. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface AttemptRecorderOptions {
  /** How long the bodies of requests that delivered events are kept. By default, none is kept. */
  readonly bodiesKeptMs?: number | undefined;
  /** Most bytes of the blocks of delivered attempts of all accounts. By default, a share of Redis's `maxmemory`. */
  readonly logBytesMax?: number | undefined;
  /** Gets the number of delivered attempts that were dropped because there were too many. */
  readonly onDropped?: (attempts: number) => void;
  readonly onError: (error: Error) => void;
}

/** Delivered attempts kept per account. As many failed and dead ones are kept in a second list. */
const KEPT_PER_ACCOUNT = 10_000;
/** Most bytes of the list of the others, and of the delivered ones that are not in a block yet. */
const KEPT_BYTES = 2_000_000;
const KEPT_S = 7 * 86_400;
/** Most bytes of bodies per account and hour, and of those that wait for one flush. The newest are kept. */
const BODY_BYTES = { hour: 2_000_000, flush: 4_000_000 };
/** Above this share of Redis's `maxmemory`, no body is kept. Intake refuses events above 0.9. */
const BODIES_UP_TO = 0.8;
const FLUSH_MS = 100;
const RETRY_MS = 1000;
/**
 * Most delivered attempts in one flush, per account and in total. The rest is dropped and counted. Failed and dead ones
 * are not dropped.
 */
const DELIVERED_PER_FLUSH = { account: 20, total: 100 };
const shown = (count: number): string => count.toLocaleString('en-US');
/** Which attempts are kept, in the numbers of `KEPT_ATTEMPTS`. */
export const KEPT = {
  attempts: KEPT_PER_ACCOUNT,
  megabytes: KEPT_BYTES / 1_000_000,
  days: KEPT_S / 86_400,
  perSecond: (DELIVERED_PER_FLUSH.account * 1000) / FLUSH_MS,
  perSecondOfAll: (DELIVERED_PER_FLUSH.total * 1000) / FLUSH_MS,
} as const;
/**
 * Text for customers about the kept attempts. A customer who searches for an event must know what may be missing
 * (docs/decisions/0005).
 */
export const KEPT_ATTEMPTS =
  `the newest ${shown(KEPT.attempts)} delivered attempts (${LOGGED_ROWS_KEPT} while the event log has the others) ` +
  `and as many others, for ${KEPT.days} days; of the others ` +
  `at most ${shown(KEPT.megabytes)} MB, of delivered ones as many as their log has room for, and only a sample ` +
  `while a worker makes more than ${shown(KEPT.perSecond)} a second, ` +
  `or over ${shown(KEPT.perSecondOfAll)} for all accounts`;

/** The buffered attempts of one account. */
interface Buffered {
  readonly delivered: AttemptRecord[];
  readonly others: AttemptRecord[];
  /** Rows of bodies by their hour. */
  readonly bodies: Map<number, string[]>;
}

const noRows = (): Buffered => ({ delivered: [], others: [], bodies: new Map() });

/** The attempt logs of all accounts in Redis, each of bounded size. */
export function createAttemptRecorder(installation: Installation, options: AttemptRecorderOptions): AttemptRecorder {
  return new RedisAttemptRecorder(installation, options);
}

class RedisAttemptRecorder implements AttemptRecorder {
  readonly #installation: Installation;
  readonly #options: AttemptRecorderOptions;
  #buffer = new Map<string, Buffered>();
  #timer: NodeJS.Timeout | undefined;
  #isUrgent = false;
  #isClosed = false;
  #delivered = 0;
  #dropped = 0;
  #bodyChars = 0;
  readonly #run: RunCommand;
  readonly #pack: PackRows;

  constructor(installation: Installation, options: AttemptRecorderOptions) {
    this.#installation = installation;
    this.#options = options;
    this.#run = createRunner(installation.redis);
    this.#pack = createRowPacker(installation, {
      bytesMax: options.logBytesMax,
      blocksPerAccount: KEPT_PER_ACCOUNT / ROWS_PER_BLOCK,
      keptS: KEPT_S,
    });
  }

  record(attempt: AttemptRecord, delivered?: string): void {
    let rows = this.#buffer.get(attempt.account);
    if (rows === undefined) this.#buffer.set(attempt.account, (rows = noRows()));
    if (attempt.status !== 'delivered') {
      rows.others.push(attempt);
      // Write it soon, normally before its settle, so that the attempt of a dead letter can be found.
      if (!this.#isUrgent) setImmediate(() => void this.flush());
      this.#isUrgent = true;
    } else {
      if (!this.takesDelivered(attempt.account)) return;
      rows.delivered.push(attempt);
      this.#delivered += 1;
      this.#flushAfter(FLUSH_MS);
    }
    if (delivered !== undefined && this.#options.bodiesKeptMs !== undefined) this.#keepBody(rows, attempt, delivered);
  }

  #keepBody({ bodies }: Buffered, { id, time }: AttemptRecord, fragments: string): void {
    if (this.#bodyChars + fragments.length > BODY_BYTES.flush) return;
    this.#bodyChars += fragments.length;
    const hour = bodyHour(Date.parse(time));
    const rows = bodies.get(hour) ?? [];
    rows.push(bodyRow({ id, fragments }));
    bodies.set(hour, rows);
  }

  takesDelivered(account: string): boolean {
    const isRoom =
      this.#delivered < DELIVERED_PER_FLUSH.total &&
      (this.#buffer.get(account)?.delivered.length ?? 0) < DELIVERED_PER_FLUSH.account;
    if (!isRoom) this.#dropped += 1;
    return isRoom;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isUrgent = false;
    const full = this.#buffer;
    this.#buffer = new Map();
    this.#delivered = 0;
    this.#bodyChars = 0;
    if (this.#dropped > 0) this.#options.onDropped?.(this.#dropped);
    this.#dropped = 0;
    if ([...full.values()].some(({ bodies }) => bodies.size > 0)) await this.#dropBodiesIfShort(full);
    await Promise.all(
      this.#byShard(full).map(async (part) => {
        try {
          await this.#packLater(await this.#write(part));
        } catch (error) {
          this.#options.onError(error as Error);
          this.#keepForLater(part);
        }
      }),
    );
  }

  /** Customers can do without the bodies, and must not do without intake. */
  async #dropBodiesIfShort(full: ReadonlyMap<string, Buffered>): Promise<void> {
    if ((await memoryUsedShare(this.#installation.redis)) <= BODIES_UP_TO) return;
    for (const { bodies } of full.values()) bodies.clear();
  }

  /** Splits the buffer by shard, because the keys of one function call must lie in one shard. */
  #byShard(full: ReadonlyMap<string, Buffered>): Map<string, Buffered>[] {
    const parts = new Map<number, Map<string, Buffered>>();
    for (const [account, rows] of full) {
      const { shard } = this.#installation.keysOf(account, 'campaign');
      parts.set(shard, (parts.get(shard) ?? new Map<string, Buffered>()).set(account, rows));
    }
    return [...parts.values()];
  }

  /** Resolves with accounts whose list has the rows of a block, and these rows. */
  async #write(full: ReadonlyMap<string, Buffered>): Promise<readonly RipeRows[]> {
    const args: (string | number)[] = [];
    let written: EngineKeys | undefined;
    for (const [account, { delivered, others, bodies }] of full) {
      const keys = this.#installation.keysOf(account, 'campaign');
      for (const [status, rows] of [['delivered', delivered] as const, ['failed', others] as const]) {
        if (rows.length === 0) continue;
        written = keys;
        const packed = status === 'delivered' ? account : '';
        args.push(keys.attempts(account, status), KEPT_PER_ACCOUNT, KEPT_BYTES, KEPT_S, packed, rows.length);
        for (const row of rows) args.push(rowOf(row));
      }
      for (const [hour, rows] of bodies) {
        const lifetimeS = bodyLifetimeS(hour, this.#options.bodiesKeptMs ?? 0, Date.now());
        if (lifetimeS <= 0) continue;
        args.push(keys.bodies(account, hour), KEPT_PER_ACCOUNT, BODY_BYTES.hour, lifetimeS, '', rows.length, ...rows);
      }
    }
    if (written === undefined) return [];
    const ripe = (await this.#run('add-rows', written, ...args)) as readonly (readonly string[])[];
    return ripe.map(([account = '', version = '', ...rows]) => ({ account, version, rows }));
  }

  /** If it fails, the next rows of the account bring it again. */
  async #packLater(ripe: readonly RipeRows[]): Promise<void> {
    try {
      for (const one of ripe) await this.#pack(one);
    } catch (error) {
      this.#options.onError(error as Error);
    }
  }

  /** Keeps failed and dead attempts until Redis is back, up to the limit per account. */
  #keepForLater(unwritten: ReadonlyMap<string, Buffered>): void {
    for (const [account, { others }] of unwritten) {
      if (others.length === 0) continue;
      const rows = this.#buffer.get(account) ?? noRows();
      const kept = [...others, ...rows.others].slice(-KEPT_PER_ACCOUNT);
      this.#buffer.set(account, { ...rows, others: kept });
    }
    this.#flushAfter(RETRY_MS);
  }

  #flushAfter(waitMs: number): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.flush(), waitMs);
  }
}
