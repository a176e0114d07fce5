import type { EventLogBuffers, LogBuffer } from '@mailhook/delivery';
import type { LogContent, OutcomeResult } from '@mailhook/event-log';

/** What is accepted and in no segment yet, of all shards. */
export interface Recent {
  readonly content: LogContent;
  /** Nothing that was accepted before this time appears any more. Unix milliseconds. */
  readonly completeUntilMs: number;
}

/** A chunk is noted as accepted at most this long after its time of acceptance. */
const NOTED_WITHIN_MS = 2000;
/** Searches of one moment share a reading. */
const SHARED_MS = 200;
/** Most that one reading takes from a buffer. A reader takes all of it. */
const ALL = { chunks: 100_000, outcomes: 1_000_000, bytes: Infinity };

/** What a segment gets of a buffer. */
export const contentOf = ({ chunks, outcomes, gaps }: LogBuffer): LogContent => ({
  events: chunks.flatMap(({ events }) => events),
  outcomes: outcomes.map(({ result, ...outcome }) => ({ ...outcome, result: result as OutcomeResult })),
  gaps: gaps.map((gap) => ({ ...gap, reason: 'store' })),
});

/** Reads the buffers of all shards. Rejects while Redis is away. */
export function createReadRecent(buffers: EventLogBuffers): () => Promise<Recent> {
  let last: { readonly atMs: number; readonly recent: Promise<Recent> } | undefined;
  const read = async (): Promise<Recent> => {
    const nowMs = Date.now();
    // Before the buffers: a chunk that ends meanwhile is in them.
    const openMs = await buffers.oldestOpenMs();
    const contents = (await Promise.all(buffers.shards.map((commands) => commands.read(ALL)))).map(contentOf);
    return {
      content: {
        events: contents.flatMap(({ events }) => events),
        outcomes: contents.flatMap(({ outcomes }) => outcomes),
        gaps: contents.flatMap(({ gaps }) => gaps),
      },
      completeUntilMs: Math.min(nowMs - NOTED_WITHIN_MS, openMs),
    };
  };
  return () => {
    const nowMs = Date.now();
    if (last === undefined || nowMs - last.atMs >= SHARED_MS || nowMs < last.atMs) {
      const recent = read();
      recent.catch(() => (last = undefined));
      last = { atMs: nowMs, recent };
    }
    return last.recent;
  };
}
