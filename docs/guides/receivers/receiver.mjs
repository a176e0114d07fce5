// A receiver of batches and of notifications. Start it with: node receiver.mjs
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

// Your database. The key is what tells an event that came before: its id in version 2.
const store = new Map();

const server = createServer(async (request, response) => {
  const answer = (status, body) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const body = await json(request).catch(() => undefined);
  if (typeof body !== 'object' || body === null) return answer(400, { error: 'The body must be JSON.' });
  if ('test' in body) return answer(200, { status: 'ok' });
  if (Array.isArray(body)) {
    for (const event of body) store.set(event.id ?? event.hash, event);
    answer(
      200,
      body.map(({ hash }) => ({ hash, status: true })),
    );
  } else {
    store.set(body.id ?? request.headers['webhook-id'], body);
    answer(200, {});
  }
  console.log(`${store.size} events stored`);
});
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1');
