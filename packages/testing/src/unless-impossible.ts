/** Registers a test or a block of tests, like `test` and `describe`. */
type Register = (name: string, ...rest: never[]) => unknown;

/**
 * Returns `run` unchanged. If there is a reason why this machine cannot run the tests, skips them with the reason in
 * each name. In CI a skip is a failure.
 */
export function unlessImpossible<Run extends Register>(
  run: Run & { readonly skip: Register },
  reason: string | undefined,
): Run {
  if (reason === undefined) return run;
  const { skip } = run;
  return ((name: string, ...rest: never[]) => skip(`${name} (skipped: ${reason})`, ...rest)) as Run;
}
