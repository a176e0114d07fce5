export interface Closeable {
  close(): Promise<void>;
}

/** What a part still gets when the time is up: enough for one that has nothing to wait for. */
const LATE_PART_MS = 250;

/**
 * Closes the parts, last started first, each after the one before it. A part that fails or hangs keeps nobody else from being closed.
 *
 * @param timeoutMs for all of them together; when it is over, each remaining part is still called and given a moment.
 * @throws AggregateError of every failure, when there was one.
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
