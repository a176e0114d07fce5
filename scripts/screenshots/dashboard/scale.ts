import { isBinary } from './units.ts';

/** A vertical axis with round steps from its lowest to its highest value. */
export interface Scale {
  readonly lowest: number;
  readonly highest: number;
  readonly steps: readonly number[];
}

const STEPS_WANTED = 4;
const ROUND = [1, 2, 2.5, 5, 10];

/** Returns an axis that covers all these values and zero. */
export function scaleOf(values: readonly number[], unit: string): Scale {
  const top = Math.max(0, ...values);
  const bottom = Math.min(0, ...values);
  // A flat line at zero needs an axis as well.
  const size = stepOf(top === bottom ? STEPS_WANTED : top - bottom, unit);
  const first = Math.floor(bottom / size);
  const last = Math.max(first + 1, Math.ceil(top / size));
  const steps = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * size);
  return { lowest: first * size, highest: last * size, steps };
}

function stepOf(extent: number, unit: string): number {
  const raw = extent / STEPS_WANTED;
  if (isBinary(unit)) return 2 ** Math.ceil(Math.log2(raw));
  const power = 10 ** Math.floor(Math.log10(raw));
  return (ROUND.find((one) => one * power >= raw) ?? 10) * power;
}
