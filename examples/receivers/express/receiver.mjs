// A receiver with Express, for campaign batches and notifications.
// Start it with: WEBHOOK_SECRETS="whsec_..." node receiver.mjs
import express from 'express';
import { isFromMailhook } from '../../../docs/guides/receivers/verify.mjs';

const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(' ').filter((secret) => secret !== '');
// Your database. The key is what tells an event that came before: its id in version 2.
const store = new Map();

const app = express();
// The signature covers the body as it came, so take its bytes instead of express.json().
app.post('/', express.raw({ type: () => true, limit: '2mb' }), (request, response) => {
  const text = String(request.body ?? '');
  if (secrets.length > 0 && !isFromMailhook(request.headers, text, secrets)) {
    return response.status(401).json({ error: 'The signature is wrong.' });
  }
  const body = parse(text);
  if (typeof body !== 'object' || body === null) return response.status(400).json({ error: 'The body must be JSON.' });
  if ('test' in body) return response.json({ status: 'ok' });
  if (!Array.isArray(body)) {
    store.set(body.id ?? request.headers['webhook-id'], body);
    return response.json({});
  }
  for (const event of body) store.set(event.id ?? event.hash, event);
  return response.json(body.map(({ hash }) => ({ hash, status: true })));
});
app.listen(Number(process.env.PORT ?? 4000), '127.0.0.1');

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
