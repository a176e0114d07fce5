import type { Closeable } from '@mailhook/platform/lifecycle';

/** Runs work that never rejects again and again, never twice at a time. */
export function every(ms: number, work: () => Promise<void>): Closeable {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work().finally(() => (running = undefined));
  }, ms);
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
