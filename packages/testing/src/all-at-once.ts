/** Awaits all of the work, and only then rejects with its first failure, so that nothing outlives the test. */
export async function allAtOnce(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
