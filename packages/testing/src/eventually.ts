const POLL_MS = 5;

/**
 * Resolves with the first value of the predicate that is not `false`, `null` or `undefined` (0 is a value). Errors of the predicate count as "not yet".
 * Rejects after `withinMs` (default 5000) with `what` in the message.
 */
export async function eventually<Value>(
  predicate: () => Value | Promise<Value>,
  options: { readonly withinMs?: number; readonly what: string },
): Promise<Exclude<Value, false | undefined | null>> {
  const deadlineMs = performance.now() + (options.withinMs ?? 5000);
  let last: unknown;
  while (performance.now() < deadlineMs) {
    try {
      const value = await predicate();
      if (value !== false && value !== undefined && value !== null)
        return value as Exclude<Value, false | undefined | null>;
      last = value;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`not within ${options.withinMs ?? 5000} ms: ${options.what} (last: ${String(last)})`);
}
