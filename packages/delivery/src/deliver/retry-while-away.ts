/** Repeats a step while Redis is away. Rejects when the worker stops, and after an internal error, which would only happen again. */
export type RetryWhileAway = <Result>(step: () => Promise<Result>) => Promise<Result>;

const PAUSE_MS = 200;

export const createRetryWhileAway =
  (deps: { readonly isStopping: () => boolean; readonly onError: (error: Error) => void }): RetryWhileAway =>
  async (step) => {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (deps.isStopping() || isInternalError(error)) throw error;
        deps.onError(error as Error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  };

/** Whether an error is an internal error, in this process or in a script. Errors of Redis and of its connection are not. */
export const isInternalError = (error: unknown): boolean =>
  error instanceof Error &&
  (['TypeError', 'RangeError', 'SyntaxError'].includes(error.name) ||
    /^(ERR|WRONGTYPE) .*user_(?:script|function)/s.test(error.message));
