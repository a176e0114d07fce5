// A receiver with Fastify, for campaign batches and notifications.
// Start it with: npm ci && WEBHOOK_SECRETS="whsec_..." node receiver.mjs
import Fastify from 'fastify';
import { isFromMailhook } from '../../../docs/guides/receivers/verify.mjs';

const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(' ').filter((secret) => secret !== '');
// Your database. The key is what tells an event that came before: its id in version 2.
const store = new Map();

const app = Fastify({ bodyLimit: 2 * 1024 * 1024 });
// The signature covers the body as it came, so take its text and parse it after the check.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));

app.post('/', async (request, reply) => {
  const text = request.body ?? '';
  if (secrets.length > 0 && !isFromMailhook(request.headers, text, secrets)) {
    return reply.code(401).send({ error: 'The signature is wrong.' });
  }
  const body = parse(text);
  if (typeof body !== 'object' || body === null) return reply.code(400).send({ error: 'The body must be JSON.' });
  if ('test' in body) return { status: 'ok' };
  if (!Array.isArray(body)) {
    store.set(body.id ?? request.headers['webhook-id'], body);
    return {};
  }
  for (const event of body) store.set(event.id ?? event.hash, event);
  return body.map(({ hash }) => ({ hash, status: true }));
});
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 4000) });

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
