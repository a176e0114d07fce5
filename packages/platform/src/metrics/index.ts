export * from './metrics.ts';
export * from './share-reading.ts';
export * from './unhandled-rejections.ts';
