export { createQueueProducer } from './queue-producer.ts';
export type { QueueProducerOptions } from './queue-producer.ts';
