export * from './metrics.ts';
export * from './share-reading.ts';
