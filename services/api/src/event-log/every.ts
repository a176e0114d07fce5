import type { Closeable } from '@mailhook/platform/lifecycle';

/** Runs work that never rejects again and again, never twice at a time. `start`: also immediately. */
export function every(ms: number, work: () => Promise<void>, start?: 'now'): Closeable {
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= work().finally(() => (running = undefined));
  };
  const timer = setInterval(run, ms);
  if (start === 'now') run();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
