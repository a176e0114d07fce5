export type { BufferOptions, EventBuffer } from './buffer.ts';
export type { CampaignEvent, ProducerEvent, TransactionalEvent } from './events.ts';
export { createHttpProducer } from './http-producer.ts';
export type { HttpProducerOptions } from './http-producer.ts';
export { InvalidEventsError, SendError } from './producer.ts';
export type { EventFault, Producer, ProducerOptions } from './producer.ts';
