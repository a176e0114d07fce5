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

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
