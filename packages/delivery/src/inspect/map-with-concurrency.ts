/**
 * Runs `work` for every item, `atOnce` at a time. Resolves with the results in the order of the items. Rejects with the
 * first failure.
 */
export async function mapWithConcurrency<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const run = async (): Promise<void> => {
    for (const [i, item] of left) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run));
  return results;
}
