export * from './queue-options.ts';
export * from './watched-worker.ts';
