import type { GapReason } from './entry.ts';
import { KnownList } from './known-list.ts';
import type { LogStore } from './store.ts';

/**
 * A time in which Redis lost what it had taken, or the log was off, so that accepted events may be missing. Unix
 * milliseconds.
 */
export interface LostSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: GapReason;
}

interface StoredSpan extends LostSpan {
  /** Name of its object, which is empty: the name says all. */
  readonly object: string;
  readonly shard: string;
}

const FOLDER = 'lost/';
const NAME = /^lost\/(?<reason>redis|store)\/(?<shard>[^/]+)\/(?<from>\d+)-(?<to>\d+)$/;

/** Lost spans per shard, which all api processes find in the store: Redis forgets them. */
export class LostWrites {
  readonly #store: LogStore;
  readonly #spans: KnownList<StoredSpan>;

  constructor(store: LogStore, nowMs: () => number) {
    this.#store = store;
    this.#spans = new KnownList(() => this.#read(), nowMs);
  }

  async add(shard: string, { fromMs, toMs, reason }: LostSpan): Promise<void> {
    const known = (await this.#spans.list()).filter((one) => one.shard === shard && one.reason === reason);
    if (known.some((one) => one.fromMs <= fromMs && one.toMs >= toMs)) return;
    await this.#store.put(`${FOLDER}${reason}/${shard}/${fromMs}-${toMs}`, []);
    this.#spans.forget();
  }

  /** Those of a shard, in order. Workers find a loss one after the other, so spans that meet are one. */
  async of(shard: string): Promise<readonly LostSpan[]> {
    const own = (await this.#spans.list()).filter((one) => one.shard === shard);
    const spans: { fromMs: number; toMs: number; reason: GapReason }[] = [];
    for (const { fromMs, toMs, reason } of own.sort((a, b) => a.fromMs - b.fromMs)) {
      const last = spans.findLast((one) => one.reason === reason);
      if (last === undefined || fromMs > last.toMs) spans.push({ fromMs, toMs, reason });
      else last.toMs = Math.max(last.toMs, toMs);
    }
    return spans;
  }

  /** Deletes those of a shard that ended before. */
  async forgetBefore(shard: string, ms: number): Promise<void> {
    for (const one of await this.#spans.list())
      if (one.shard === shard && one.toMs < ms) await this.#store.delete(one.object);
    this.#spans.forget();
  }

  async #read(): Promise<StoredSpan[]> {
    const objects = await this.#store.list(FOLDER);
    return objects.flatMap(({ name }) => {
      const { reason, shard, from, to } = NAME.exec(name)?.groups ?? {};
      if (shard === undefined) return [];
      return [{ object: name, shard, fromMs: Number(from), toMs: Number(to), reason: reason as GapReason }];
    });
  }
}
