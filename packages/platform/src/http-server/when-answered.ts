import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Calls back once, when the answer is out or the connection is gone. Both are watched: where a client pipelines requests, Node tells an
 * answer that waits for its turn nothing about the end of its connection.
 */
export function whenAnswered({ socket }: IncomingMessage, response: ServerResponse, then: () => void): void {
  const finish = (): void => {
    socket.off('close', finish);
    response.off('close', finish);
    then();
  };
  if (socket.destroyed) {
    then();
    return;
  }
  // As many as there are pipelined requests.
  socket.setMaxListeners(0);
  socket.on('close', finish);
  response.on('close', finish);
}
