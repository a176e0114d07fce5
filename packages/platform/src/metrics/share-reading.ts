/**
 * Makes concurrent callers share one reading, because all gauges of a scrape are collected at the same time. A failed
 * reading returns undefined, so that gauges can keep their last values.
 */
export function shareReading<Value>(read: () => Promise<Value>): () => Promise<Value | undefined> {
  let inProgress: Promise<Value | undefined> | undefined;
  return () => {
    inProgress ??= read()
      .catch(() => undefined)
      .finally(() => {
        inProgress = undefined;
      });
    return inProgress;
  };
}
