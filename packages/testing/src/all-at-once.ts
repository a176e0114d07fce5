/** Awaits all promises, and only then rejects with the first failure, so that no work outlives the test. */
export async function allAtOnce(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
