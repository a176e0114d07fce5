export * from './watched-worker.ts';
