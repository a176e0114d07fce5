export * from './in-span.ts';
export * from './open-tracing.ts';
export type * from './tracing.ts';
