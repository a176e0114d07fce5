/**
 * Ids for the batches and dead letters that follow an attempt. No id is used twice, also when Redis lost its newest writes and an attempt is settled
 * again in another way: `worker` is random and unique per process. An id holds letters, digits and dashes only.
 */
export function batchIds(worker: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${worker}-${count.toString(36)}`;
  };
}
