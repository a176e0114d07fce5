const FORMATS = new Map<string, Intl.DateTimeFormat>();
/** Formats kept at most. There are about 450 time zones, so only an error reaches this. */
const FORMATS_MAX = 500;
const DAY_MS = 86_400_000;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format =
    FORMATS.get(timeZone) ??
    // Swedish writes `2026-01-31 09:30:00`.
    new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  if (FORMATS.size >= FORMATS_MAX) FORMATS.clear();
  FORMATS.set(timeZone, format);
  return format;
}

/** The local time as if it were UTC, in Unix milliseconds of whole seconds. */
function localMs(ms: number, timeZone: string): number {
  const text = formatOf(timeZone).format(ms).replace(' ', 'T');
  // Browsers send years such as 0020 while a person types one. They stay as they are.
  return /^\d{4}-/.test(text) ? Date.parse(`${text}Z`) : Math.floor(ms / 1000) * 1000;
}

/** How far a zone is from UTC. */
const offsetMs = (ms: number, timeZone: string): number => localMs(ms, timeZone) - Math.floor(ms / 1000) * 1000;

/** A local time without seconds, such as `2026-01-31 09:30`, as fields have it. */
export const localMinute = (ms: number, timeZone: string): string =>
  new Date(localMs(ms, timeZone)).toISOString().slice(0, 16).replace('T', ' ');

/** The same in ISO 8601 with the offset of the zone, such as `2026-01-31T09:30:00.000+01:00`. */
export function withOffset(iso: string, timeZone: string): string {
  const ms = Date.parse(iso);
  const offset = offsetMs(ms, timeZone);
  const distance = new Date(Math.abs(offset)).toISOString().slice(11, 16);
  return `${new Date(ms + offset).toISOString().slice(0, -1)}${offset < 0 ? '-' : '+'}${distance}`;
}

/**
 * The instant of a local time, in Unix milliseconds. A time in the hour that a change of the clock repeats has two:
 * `which` chooses. A time in the hour that a change skips is read by the clock before the change: `02:30` is `03:30`.
 * Undefined if the text is no local time.
 */
export function instantOf(local: string, timeZone: string, which: 'first' | 'last'): number | undefined {
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?$/.test(local);
  const asUtcMs = isTime ? Date.parse(`${local.replace(' ', 'T')}Z`) : NaN;
  // `Date.parse` reads 31 February as a day in March.
  if (Number.isNaN(asUtcMs) || !new Date(asUtcMs).toISOString().startsWith(local.slice(0, 10))) return undefined;
  // Clocks change at most once within two days.
  const [before = 0, after = 0] = [asUtcMs - DAY_MS, asUtcMs + DAY_MS].map((ms) => asUtcMs - offsetMs(ms, timeZone));
  const found = [Math.min(before, after), Math.max(before, after)].filter((ms) => localMs(ms, timeZone) === asUtcMs);
  return (which === 'first' ? found[0] : found.at(-1)) ?? before;
}
