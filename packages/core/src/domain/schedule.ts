const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `250ms`, `5s`, `2m`, `8h`, `3d` as milliseconds; undefined when it cannot be read. */
export function parseDurationMs(text: string): number | undefined {
  const found = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  if (found === null) return undefined;
  return Number(found[1]) * UNIT_MS[found[2] as keyof typeof UNIT_MS];
}

/** A comma-separated list of durations, at least one; undefined when any cannot be read. */
export function parseScheduleMs(text: string): number[] | undefined {
  const waits = text.split(',').map(parseDurationMs);
  return waits.every((wait) => wait !== undefined) ? waits : undefined;
}
