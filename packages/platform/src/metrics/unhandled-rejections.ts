import type { Metrics } from './metrics.ts';

/** Counts the rejections that nobody handles, for a process that survives them. */
export function countUnhandledRejections(metrics: Metrics): { close(): Promise<void> } {
  const count = metrics.counter({
    name: 'mailhook_unhandled_rejections_total',
    help: 'Promises that were rejected and that nobody handled. Each is a bug in Mailhook.',
  });
  const onRejection = (): void => count.inc();
  process.on('unhandledRejection', onRejection);
  return {
    close: () => {
      process.off('unhandledRejection', onRejection);
      return Promise.resolve();
    },
  };
}
