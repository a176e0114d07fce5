export * from './http-producer.ts';
export * from './producer.ts';
export * from './queue-producer.ts';
