// Sends events over HTTP with @mailhook/producer.
// Start it with: MAILHOOK_URL=... PRODUCER_TOKEN=... ACCOUNT=... node http.mjs
import { createHttpProducer } from '@mailhook/producer';
import { sampleEvents } from './sample-events.mjs';

const producer = createHttpProducer({ url: process.env.MAILHOOK_URL, token: process.env.PRODUCER_TOKEN });
// Checks the events first, sends large arrays in several requests, and repeats a request after no answer, or one that
// may pass.
const { accepted } = await producer.send(sampleEvents(process.env.ACCOUNT));
console.log(`${accepted} accepted`);
await producer.close();
