/**
 * The same reading, made once for all who ask while it is under way: the gauges of one scrape are collected together. A reading that
 * fails gives undefined, and the gauges keep what they had.
 */
export function shareReading<Value>(read: () => Promise<Value>): () => Promise<Value | undefined> {
  let underWay: Promise<Value | undefined> | undefined;
  return () => {
    underWay ??= read()
      .catch(() => undefined)
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  };
}
