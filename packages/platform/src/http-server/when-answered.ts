import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Calls back once, when the reply is sent or the connection is closed. Both events are needed, because Node does not
 * close the waiting responses of a connection with pipelined requests when the connection ends.
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
  // Each pipelined request adds a listener to the socket.
  socket.setMaxListeners(0);
  socket.on('close', finish);
  response.on('close', finish);
}
