// Adds events to Mailhook's queue in Redis with @mailhook/producer.
// Start it with: REDIS_URL=... ACCOUNT=... node queue.mjs
import { createQueueProducer } from '@mailhook/producer/queue';
import { sampleEvents } from './sample-events.mjs';

const producer = createQueueProducer({ url: process.env.REDIS_URL, prefix: process.env.QUEUE_PREFIX ?? 'mailhook' });
// Checks the events first. It works while Mailhook's api is away, and the api takes the job when it is back.
const { accepted } = await producer.send(sampleEvents(process.env.ACCOUNT));
console.log(`${accepted} accepted`);
await producer.close();
