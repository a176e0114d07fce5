/** Formats a value as Grafana does, by the unit's id: with a suitable prefix and three digits. */
export function formatValue(value: number, unit: string): string {
  const write = UNITS[unit];
  if (write === undefined) throw new Error(`The unit ${unit} is not known here: add it to units.ts.`);
  return write(value);
}

/** Returns true if the steps of a unit are powers of two, as with bytes, and not of ten. */
export const isBinary = (unit: string): boolean => unit === 'bytes';

type Write = (value: number) => string;

const THOUSANDS = ['', 'K', 'M', 'B', 'T'];
const perSecond =
  (symbol: string): Write =>
  (value) =>
    scaled(value, 1000, THOUSANDS, ` ${symbol}/s`);

const UNITS: Readonly<Record<string, Write>> = {
  short: (value) => scaled(value, 1000, ['', ' K', ' Mil', ' Bil'], ''),
  bytes: (value) => scaled(value, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB'], ''),
  percentunit: (value) => `${digits(value * 100)}%`,
  cps: perSecond('c'),
  eps: perSecond('evt'),
  reqps: perSecond('req'),
  s: writeSeconds,
};

function scaled(value: number, base: number, prefixes: readonly string[], end: string): string {
  let rest = value;
  let step = 0;
  while (Math.abs(rest) >= base && step < prefixes.length - 1) {
    rest /= base;
    step += 1;
  }
  return `${digits(rest)}${prefixes[step] ?? ''}${end}`;
}

function writeSeconds(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0 s';
  if (size < 0.001) return `${digits(value * 1e6)} \u00b5s`;
  if (size < 1) return `${digits(value * 1000)} ms`;
  if (size < 60) return `${digits(value)} s`;
  if (size < 3600) return `${digits(value / 60)} min`;
  if (size < 86_400) return `${digits(value / 3600)} hours`;
  return `${digits(value / 86_400)} days`;
}

/** Rounds to three significant digits, without trailing zeros. */
const digits = (value: number): string => String(Number(value.toPrecision(3)));
