import type { EventLogBuffers, LogBuffer } from '@mailhook/delivery';
import type { LogContent, OutcomeResult } from '@mailhook/event-log';

/** What is accepted and in no segment yet, of one account. */
export interface Recent {
  readonly content: LogContent;
  /** Nothing that was accepted before this time appears any more. Unix milliseconds. */
  readonly completeUntilMs: number;
}

/** A chunk is noted as accepted at most this long after its time of acceptance. */
const NOTED_WITHIN_MS = 2000;
type BufferContent = Pick<LogBuffer, 'chunks' | 'outcomes' | 'gaps'>;

/** What a segment gets of a buffer. */
export const contentOf = ({ chunks, outcomes, gaps }: BufferContent): LogContent => ({
  events: chunks.flatMap(({ events }) => events),
  outcomes: outcomes.map(({ result, ...outcome }) => ({ ...outcome, result: result as OutcomeResult })),
  gaps: gaps.map((gap) => ({ ...gap, reason: 'store' })),
});

/**
 * Reads what the buffers of all shards have of an account. One reading at a time, for all that have waited for it: it
 * goes through all of the buffers, which may hold `EVENT_LOG_SPOOL` per shard. Rejects while Redis is away.
 */
export function createReadRecent(buffers: EventLogBuffers): (account: string) => Promise<Recent> {
  let next: { readonly accounts: Set<string>; readonly reading: Promise<Reading> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const begin = () => {
    const accounts = new Set<string>();
    const reading = last
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return read(buffers, accounts);
      });
    last = reading;
    return { accounts, reading };
  };
  return async (account) => {
    next ??= begin();
    next.accounts.add(account);
    const { contents, completeUntilMs } = await next.reading;
    return { content: contentOf(onlyOf(account, contents)), completeUntilMs };
  };
}

interface Reading {
  readonly contents: readonly BufferContent[];
  readonly completeUntilMs: number;
}

async function read(buffers: EventLogBuffers, accounts: ReadonlySet<string>): Promise<Reading> {
  const nowMs = Date.now();
  // Before the buffers: a chunk that ends meanwhile is in them.
  const openMs = await buffers.oldestOpenMs();
  const contents = await Promise.all(buffers.shards.map((commands) => commands.readOf(accounts)));
  return { contents, completeUntilMs: Math.min(nowMs - NOTED_WITHIN_MS, openMs) };
}

/** Without the others of the reading, so that they do not stay in memory. */
function onlyOf(account: string, contents: readonly BufferContent[]): BufferContent {
  const isOwn = (one: { readonly account: string }): boolean => one.account === account;
  return {
    chunks: contents.flatMap(({ chunks }) => chunks.map(({ events }) => ({ events: events.filter(isOwn) }))),
    outcomes: contents.flatMap(({ outcomes }) => outcomes.filter(isOwn)),
    gaps: contents.flatMap(({ gaps }) => gaps.filter(isOwn)),
  };
}
