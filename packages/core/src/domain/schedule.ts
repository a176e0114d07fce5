const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a duration such as `250ms`, `5s`, `2m`, `8h` or `3d` as milliseconds. Returns undefined for other texts. */
export function parseDurationMs(text: string): number | undefined {
  const found = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  if (found === null) return undefined;
  return Number(found[1]) * UNIT_MS[found[2] as keyof typeof UNIT_MS];
}

/** Reads a comma-separated list of at least one duration. Returns undefined if a duration is unreadable. */
export function parseScheduleMs(text: string): number[] | undefined {
  const waits = text.split(',').map(parseDurationMs);
  return waits.every((wait) => wait !== undefined) ? waits : undefined;
}
