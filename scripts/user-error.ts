/** An error that the person at the terminal can fix. It is printed without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Runs the main function of a command. For a `UserError`, prints its message and exits with code 1. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** Returns an error's message, followed by the message of its cause, if any. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${messageOf(error.cause)})`;
}
