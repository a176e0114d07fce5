/** A run that takes longer goes on while the page already answers. */
const ANSWER_WITHIN_MS = 2000;

/** Undefined if the run takes longer. A failure after that goes to `onLateFailure`. */
export async function unlessLate<Result>(
  run: Promise<Result>,
  onLateFailure: (error: unknown) => void,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS);
  });
  const result = await Promise.race([run, late]).finally(() => clearTimeout(timer));
  if (result === undefined) run.catch(onLateFailure);
  return result;
}
