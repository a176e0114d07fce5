/** Calls between the bench and its child processes, over the child's IPC channel. */

export type Handlers = Readonly<Record<string, (input: never) => unknown>>;

/** A call from the parent. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly input: unknown;
}

/** The child's reply: a result, or the text of an error. */
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: string };

/** Serves calls in this process until the parent has ended. */
export function serve(handlers: Handlers): void {
  process.on('message', (message) => void answer(handlers, message as Call));
  process.on('disconnect', () => process.exit(0));
  // On an interrupt, the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
}

async function answer(handlers: Handlers, { id, method, input }: Call): Promise<void> {
  let reply: Answer;
  try {
    const handler = handlers[method];
    if (handler === undefined) throw new Error(`no such call: ${method}`);
    reply = { id, result: await handler(input as never) };
  } catch (error) {
    reply = { id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(reply);
}
