import type { Mechanism } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { uniqueName } from '@mailhook/testing';
import { loadFunctions } from '../../../packages/delivery/src/mailbox/functions.ts';
import { engineKeys } from '../../../packages/delivery/src/mailbox/keys.ts';
import type { EngineKeys } from '../../../packages/delivery/src/mailbox/keys.ts';
import { MARK_FUNCTION, MARKED } from './marks.ts';
import { EPOCH_MS } from './scheduler.ts';
import type { Scheduler } from './scheduler.ts';

/** A text of the library, and the text that replaces it. */
export interface LuaChange {
  readonly from: string;
  readonly to: string;
}

/** Mailboxes in a page of a search by the commands, and of one by the workers. Every search has several pages. */
const PAGES = { ofCommands: 2, ofWorkers: 1 } as const;

/**
 * The commands get Redis's time with each call, and the answers that depend on the seed of Redis's hash tables come in
 * order, so that a run can be repeated.
 */
const SIMULATED_CALL = `
local simulatedNow
local function simulatedCall(name, key, ...)
  if name == 'TIME' then
    return { math.floor(simulatedNow / 1000), simulatedNow % 1000 * 1000 }
  end
  if name == 'SRANDMEMBER' then
    local all = redis.call('SMEMBERS', key)
    table.sort(all)
    if select('#', ...) == 0 then return all[1] or false end
    return { unpack(all, 1, math.min(#all, (...))) }
  end
  if name == 'HSCAN' then
    local fields, page, after = redis.call('HKEYS', key), {}, ...
    table.sort(fields)
    for i, field in ipairs(fields) do
      if after == '0' or field > after then
        page[#page + 1] = field
        page[#page + 1] = redis.call('HGET', key, field)
        if #page >= 2 * ${PAGES.ofCommands} and i < #fields then return { field, page } end
      end
    end
    return { '0', page }
  end
  return redis.call(name, key, ...)
end
local resets = {}`;

const SIMULATED: readonly LuaChange[] = [
  { from: '\nlocal resets = {}', to: MARK_FUNCTION + SIMULATED_CALL },
  { from: '= redis.call, struct.pack', to: '= simulatedCall, struct.pack' },
  {
    from: 'ARGV, K, P = args, keys[1], keys[2]',
    to: 'ARGV, K, P, simulatedNow = args, keys[1], keys[2], tonumber(keys[3])',
  },
];

export type Reply = { readonly value: unknown } | { readonly error: Error };

/** The whole content of Redis, as a fork of its process sees it. */
type Snapshot = ReadonlyMap<string, Buffer>;

/** A real Redis with the simulated time. A caller waits for the reply before anything else happens. */
export class SimulatedRedis {
  readonly redis: Redis;
  readonly keys: EngineKeys;
  /** The text of its functions. */
  readonly #library: string;
  #scheduler: Scheduler | undefined;
  /** The steps of its clock so far. */
  #steppedMs = 0;

  private constructor(redis: Redis, keys: EngineKeys, library: string) {
    this.redis = redis;
    this.keys = keys;
    this.#library = library;
  }

  /** Loads the library with changes under a prefix of its own. @throws Error for a change whose text is not there. */
  static async open(redis: Redis, kind: Mechanism, changes: readonly LuaChange[] = []): Promise<SimulatedRedis> {
    const prefix = uniqueName('simulation');
    let changing = '';
    const load = (first: string, text: string): Promise<unknown> => {
      changing = text;
      for (const { from, to } of [...changes, ...SIMULATED]) {
        if (!changing.includes(from)) throw new Error(`the library has no text ${from}`);
        changing = changing.replaceAll(from, () => to);
      }
      // A change may have removed the place of a mark.
      for (const { from, to } of MARKED) changing = changing.replaceAll(from, () => to);
      return redis.function(first as 'LOAD', changing);
    };
    const loading = new Proxy(redis, {
      get(target, name) {
        if (name === 'function') return load;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    await loadFunctions(loading, prefix);
    return new SimulatedRedis(redis, engineKeys(prefix, 0, kind), changing);
  }

  /** Empties it for a run. Its functions remember nothing. */
  async begin(scheduler: Scheduler): Promise<void> {
    await this.clear();
    await this.#loadAnew();
    this.#scheduler = scheduler;
    this.#steppedMs = 0;
  }

  /** The time of the commands. */
  get nowMs(): number {
    return EPOCH_MS + this.#steppedMs + (this.#scheduler?.nowMs ?? 0);
  }

  /** Its clock steps, forward or back. */
  stepClock(ms: number): void {
    this.#steppedMs += ms;
  }

  async run(method: string, args: readonly unknown[]): Promise<Reply> {
    try {
      return { value: await this.#call(method, args) };
    } catch (error) {
      return { error: error as Error };
    }
  }

  async #call(method: string, args: readonly unknown[]): Promise<unknown> {
    if (method === 'hscanBuffer') return this.#scan(String(args[0]), String(args[1]));
    const call = Reflect.get(this.redis, method) as (...args: readonly unknown[]) => Promise<unknown>;
    const value = await call.apply(this.redis, this.#withTime(method, args));
    return method === 'smembers' ? (value as string[]).sort() : value;
  }

  /** The arguments of a command with the time as one more key. */
  #withTime(method: string, args: readonly unknown[]): unknown[] {
    const nameAt = method === 'fcall' ? 0 : 1;
    if (method !== 'fcall' && args[0] !== 'FCALL') return [...args];
    const [base, shared] = args.slice(nameAt + 2);
    return [...args.slice(0, nameAt + 1), 3, base, shared, this.nowMs, ...args.slice(nameAt + 4)];
  }

  async #scan(key: string, after: string): Promise<[Buffer, Buffer[]]> {
    const fields = (await this.redis.hkeys(key)).filter((field) => after === '0' || field > after).sort();
    const page = fields.slice(0, PAGES.ofWorkers);
    const values = page.length === 0 ? [] : await this.redis.hmgetBuffer(key, ...page);
    const next = fields.length > page.length ? (page.at(-1) ?? '0') : '0';
    return [Buffer.from(next), page.flatMap((field, i) => [Buffer.from(field), values[i] ?? Buffer.alloc(0)])];
  }

  allKeys(): Promise<string[]> {
    return this.redis.keys(`${this.keys.shared}*`);
  }

  async clear(): Promise<void> {
    const keys = await this.allKeys();
    if (keys.length > 0) await this.redis.del(...keys);
  }

  async #loadAnew(): Promise<void> {
    await this.redis.function('LOAD', 'REPLACE', this.#library);
  }

  async snapshot(): Promise<Snapshot> {
    const keys = await this.allKeys();
    const dumps = await Promise.all(keys.map((key) => this.redis.dumpBuffer(key)));
    return new Map(keys.flatMap((key, i) => (dumps[i] == null ? [] : [[key, dumps[i]] as const])));
  }

  /** Redis has lost its last writes: it returns to a snapshot, and loads its functions anew. */
  async restore(snapshot: Snapshot): Promise<void> {
    await this.clear();
    await Promise.all([...snapshot].map(([key, dump]) => this.redis.restore(key, 0, dump)));
    await this.#loadAnew();
  }
}
