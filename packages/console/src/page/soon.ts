/** A run that takes longer goes on while the page already answers. */
const ANSWER_WITHIN_MS = 2000;

/** Undefined if the run takes longer. A failure after that goes to `onLaterFailure`. */
export async function resultIfSoon<Result>(
  run: Promise<Result>,
  onLaterFailure: (error: unknown) => void,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS);
  });
  const result = await Promise.race([run, timeout]).finally(() => clearTimeout(timer));
  if (result === undefined) run.catch(onLaterFailure);
  return result;
}
