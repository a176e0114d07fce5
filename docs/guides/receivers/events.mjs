// A receiver of version 2, in every shape. Start it with: WEBHOOK_SECRETS="whsec_..." node events.mjs
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { isFromMailhook } from './verify.mjs';

const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(' ').filter((secret) => secret !== '');
// Your database, with a unique index of the ids.
const store = new Map();

const server = createServer(async (request, response) => {
  const answer = (status, body) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const body = await text(request);
  if (secrets.length > 0 && !isFromMailhook(request.headers, body, secrets))
    return answer(401, { error: 'The signature is wrong.' });
  const events = eventsIn(body);
  if (events === undefined) return answer(400, { error: 'The body must be events of version 2.' });
  for (const event of events) if (!store.has(event.id)) store.set(event.id, event);
  // Only the shape batch has hashes and needs this reply. The other shapes need no body.
  answer(
    200,
    events.flatMap(({ hash }) => (hash === undefined ? [] : [{ hash, status: true }])),
  );
  console.log(`${store.size} events stored`);
});
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1');

function eventsIn(body) {
  try {
    const events = [JSON.parse(body)].flat();
    return events.every((event) => event?.version === 2) ? events : undefined;
  } catch {
    return undefined;
  }
}
