export interface Closeable {
  close(): Promise<void>;
}

/** Registers a part that must close with the service, and returns it. */
export type Owned = <Part extends Closeable>(part: Part) => Part;

/** The time for each remaining part after the timeout. Enough for a part that need not wait for anything. */
const LATE_PART_MS = 250;

/**
 * Closes the parts one after the other, the last started one first. Closes all parts even if one fails or hangs.
 *
 * @param timeoutMs the limit for all parts together. After it, each remaining part still gets `LATE_PART_MS`.
 * @throws AggregateError of all failures, if there were any.
 */
export async function closeInOrder(parts: readonly Closeable[], timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  const failures: Error[] = [];
  for (const part of parts.toReversed()) {
    const leftMs = Math.max(deadlineMs - performance.now(), LATE_PART_MS);
    try {
      await within(leftMs, part);
    } catch (error) {
      failures.push(error instanceof Error ? error : new Error(String(error)));
    }
  }
  if (failures.length === 0) return;
  const reasons = failures.map(({ message }) => message).join('; ');
  throw new AggregateError(failures, `${failures.length} of ${parts.length} parts did not close cleanly: ${reasons}`);
}

async function within(waitMs: number, part: Closeable): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`a part did not close within ${Math.round(waitMs)} ms`));
    }, waitMs);
  });
  try {
    await Promise.race([part.close(), late]);
  } finally {
    clearTimeout(timer);
  }
}
