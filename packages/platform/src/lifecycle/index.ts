export * from './close-in-order.ts';
export * from './run-process.ts';
