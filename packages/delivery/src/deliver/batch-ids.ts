/**
 * Ids for the batches and dead letters that follow an attempt, made of letters, digits and dashes. `worker` is unique per process, so no id is
 * used twice, even when Redis lost its newest writes and an attempt ends differently the second time.
 */
export function batchIds(worker: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${worker}-${count.toString(36)}`;
  };
}
