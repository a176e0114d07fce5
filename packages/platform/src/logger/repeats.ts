import { LRUCache } from 'lru-cache';

/** Limit of equal lines per window. */
const LINES_MAX = 10;
const WINDOW_MS = 60_000;
const REMEMBERED = 500;

interface Repeats {
  readonly untilMs: number;
  lines: number;
}

/**
 * Decides on a line that may be a repeat of earlier ones. During an outage every connection reports the same error at
 * every attempt, and ten lines a minute say as much as a thousand. Only lines that are equal in all fields but the id
 * of a request count.
 */
export interface RepeatLimit {
  /** Returns whether the line is written, and how many before it were not. */
  admit(line: string, nowMs: number): { readonly isWritten: boolean; readonly leftOut: number };
}

export function createRepeatLimit(): RepeatLimit {
  const seen = new LRUCache<string, Repeats>({ max: REMEMBERED });
  return {
    admit(line, nowMs) {
      const found = seen.get(line);
      if (found !== undefined && nowMs < found.untilMs) {
        found.lines += 1;
        return { isWritten: found.lines <= LINES_MAX, leftOut: 0 };
      }
      seen.set(line, { untilMs: nowMs + WINDOW_MS, lines: 1 });
      return { isWritten: true, leftOut: Math.max(0, (found?.lines ?? 0) - LINES_MAX) };
    },
  };
}
