import { BATCH_EVENTS_MAX } from './campaign-batch.ts';

/**
 * How requests carry events. single: one object per request. array: several. Of both, any 2xx delivers the whole.
 * batch: several, and the reply acknowledges each of them. The place of a shape in this list is its number in Redis.
 */
export const SHAPES = ['single', 'array', 'batch'] as const;
export type Shape = (typeof SHAPES)[number];

/** The most that a shape allows: events per request, and requests in flight over all workers. */
export const SHAPE_LIMITS = {
  single: { maxEvents: 1, concurrency: 16 },
  array: { maxEvents: BATCH_EVENTS_MAX, concurrency: 4 },
  batch: { maxEvents: BATCH_EVENTS_MAX, concurrency: 4 },
} as const satisfies Record<Shape, object>;
