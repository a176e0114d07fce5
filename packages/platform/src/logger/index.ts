export * from './logger.ts';
export * from './mask.ts';
