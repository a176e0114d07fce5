/** An error that the person at the terminal can fix. It is printed without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/**
 * Runs the main function of a program and exits, because open connections must not delay the end. For a `UserError`,
 * prints its message, and the exit code is 1.
 */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
  process.exit();
}

/** Returns an error's message, followed by the message of its cause, if any. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${messageOf(error.cause)})`;
}
