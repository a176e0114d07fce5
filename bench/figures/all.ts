import type { Figure } from '../report/figure.ts';
import { hanging } from './hanging.ts';
import { kill } from './kill.ts';
import { latency } from './latency.ts';
import { throughputs } from './throughputs.ts';

/** Every figure, in the order of design section 9. */
export const figures: readonly Figure[] = [...throughputs, hanging, latency, kill];
