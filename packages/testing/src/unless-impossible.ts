/** A block of tests, or one test, that some machines cannot run. */
type Register = (name: string, ...rest: never[]) => unknown;

/**
 * Returns `run` as it is, or `skip` with the reason in each name if there is a reason why this machine cannot run it. In CI a skip is a failure.
 */
export function unlessImpossible<Run extends Register>(
  run: Run & { readonly skip: Register },
  reason: string | undefined,
): Run {
  if (reason === undefined) return run;
  const { skip } = run;
  return ((name: string, ...rest: never[]) => skip(`${name} (skipped: ${reason})`, ...rest)) as Run;
}
