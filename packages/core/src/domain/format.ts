/** A number such as `1,204`. */
export const formatCount = (value: number): string => value.toLocaleString('en-US');

/** A count with its noun, such as `1,204 events`. */
export const plural = (value: number, one: string, many: string): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

const oneDigit = (value: number): string => value.toFixed(1);

/** A time span such as `4.2 h`. `write`: how to write a number with one digit of a fraction. */
export function spanText(ms: number, write = oneDigit): string {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? [1000, 's'];
  return `${write(Math.max(0, ms) / size)} ${unit}`;
}

const SIZES = [
  [1_000_000_000, 'GB'],
  [1_000_000, 'MB'],
] as const;

/** A size such as `1.2 GB`. */
export function bytesText(bytes: number): string {
  const [size, unit] = SIZES.find(([least]) => bytes >= least) ?? [1000, 'kB'];
  return `${(bytes / size).toFixed(1)} ${unit}`;
}

/** A share such as `42 %`. Rounded down, so that 99.9 % does not read as everything. */
export const percentText = (share: number): string => `${Math.floor(share * 100)} %`;
