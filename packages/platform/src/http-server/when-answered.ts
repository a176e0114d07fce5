import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Calls back once, when the answer is out or the connection is gone. Both events are needed. When a connection with pipelined requests ends, Node does
 * not close the responses that wait for their turn.
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
  // One listener per pipelined request.
  socket.setMaxListeners(0);
  socket.on('close', finish);
  response.on('close', finish);
}
