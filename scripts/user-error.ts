/** What the person at the terminal can mend: printed as it stands, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Runs a command line's main function: a `UserError` becomes its message and exit code 1. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** An error's message, with that of its cause where it has one. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${messageOf(error.cause)})`;
}
