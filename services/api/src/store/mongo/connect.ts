import os from 'node:os';
import type { Connection } from 'mongoose';

const CONNECT_AGAIN_MS = 1000;

interface ConnectOptions {
  readonly url: string;
  /** How long an operation waits for a server. */
  readonly patienceMs: number;
  readonly onError: (error: Error) => void;
  readonly makeIndexes: () => Promise<void>;
}

/** mongoose restores a lost connection, but does not repeat a failed first attempt. */
export function connectUntilDone(connection: Connection, { url, patienceMs, onError, makeIndexes }: ConnectOptions) {
  let closed = false;
  let again: NodeJS.Timeout | undefined;
  // A mongoose connection emits errors. Without a listener, they would end the process.
  connection.on('error', onError);
  let indexFault: string | undefined;
  const tryIndexes = async (): Promise<void> => {
    try {
      await makeIndexes();
    } catch (error) {
      const text = `could not make an index: ${String(error)}. The server must support unique and partial indexes`;
      if (text !== indexFault) onError(new Error(text, { cause: error }));
      indexFault = text;
      tryLater(tryIndexes);
    }
  };
  const tryLater = (step: () => Promise<void>): void => {
    if (!closed) again = setTimeout(() => void step(), CONNECT_AGAIN_MS);
  };
  const attempt = async (): Promise<void> => {
    try {
      await connection.openUri(url, {
        serverSelectionTimeoutMS: patienceMs,
        connectTimeoutMS: patienceMs,
        socketTimeoutMS: 2 * patienceMs,
        waitQueueTimeoutMS: patienceMs,
        heartbeatFrequencyMS: 2000,
        // A completed write survives the death of a server.
        writeConcern: { w: 'majority', journal: true },
        // The driver would import `os` dynamically, which the module sandbox of the test runner does not allow.
        runtimeAdapters: { os },
      });
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      tryLater(attempt);
      return;
    }
    await tryIndexes();
  };
  const close = async (): Promise<void> => {
    closed = true;
    clearTimeout(again);
    await connection.close();
  };
  return { firstTry: attempt(), close };
}
