import type { Figure } from '../report/figure.ts';
import { throughputs } from './throughputs.ts';

/** Every figure, in the order of design section 9. */
export const figures: readonly Figure[] = [...throughputs];
