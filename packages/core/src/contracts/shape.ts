import { z } from 'zod';
import { BATCH_EVENTS_MAX } from './campaign-batch.ts';

/** How requests carry events. Its place in this list is its number in Redis. */
export const SHAPES = ['single', 'array', 'batch'] as const;
export const shape = z
  .enum(SHAPES)
  .describe(
    'single: one object per request. array: several. Of both, any 2xx delivers the whole. ' +
      'batch: several, and the reply acknowledges each of them.',
  );
export type Shape = z.infer<typeof shape>;

/** The most that a shape allows: events per request, and requests in flight over all workers. */
export const SHAPE_LIMITS = {
  single: { maxEvents: 1, concurrency: 16 },
  array: { maxEvents: BATCH_EVENTS_MAX, concurrency: 4 },
  batch: { maxEvents: BATCH_EVENTS_MAX, concurrency: 4 },
} as const satisfies Record<Shape, object>;
