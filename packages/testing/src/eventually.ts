/**
 * First and longest pause between two tries. The pause grows with the time waited, because each try takes CPU from the
 * code under test.
 */
const POLL_FIRST_MS = 5;
const POLL_MAX_MS = 25;
/**
 * `npm test` gives tests more time without a filter, in CI, and with `--jitter` or `--beside-load`. A limit only
 * decides how long a failing test takes.
 */
export const SLOWDOWN = Number(process.env['TEST_SLOWDOWN'] ?? 1);

/**
 * Resolves with the first value of the predicate that is not `false`, `null` or `undefined` (0 is a value). Errors of
 * the predicate count as "not yet". Rejects after `withinMs` (default 5000) with `what` in the message, or when a call
 * of the predicate takes that long. A predicate that takes much CPU time, such as loading a page, runs every `everyMs`.
 */
export async function eventually<Value>(
  predicate: () => Value | Promise<Value>,
  options: { readonly withinMs?: number; readonly everyMs?: number; readonly what: string },
): Promise<Exclude<Value, false | undefined | null>> {
  const withinMs = (options.withinMs ?? 5000) * SLOWDOWN;
  const startedMs = performance.now();
  const deadlineMs = startedMs + withinMs;
  let last: unknown;
  while (performance.now() < deadlineMs) {
    try {
      const value = await withLimit(predicate(), withinMs);
      if (value !== false && value !== undefined && value !== null)
        return value as Exclude<Value, false | undefined | null>;
      last = value;
    } catch (error) {
      last = error;
    }
    const pauseMs = options.everyMs ?? Math.min(POLL_MAX_MS, POLL_FIRST_MS + (performance.now() - startedMs) / 20);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`not within ${withinMs} ms: ${options.what} (last: ${String(last)})`);
}

async function withLimit<Value>(value: Value | Promise<Value>, limitMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the last try does not end')), limitMs);
  });
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}
