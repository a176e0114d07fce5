/** Runs a transaction, and throws the first error of its commands. */
export async function runAll(transaction: { exec(): Promise<[Error | null, unknown][] | null> }): Promise<void> {
  const results = (await transaction.exec()) ?? [];
  for (const [error] of results) if (error !== null) throw error;
}
