// Shows times in the reader's time zone, or in UTC. The server writes them in the zone of the cookie, or in UTC, so the
// pages work without this script.

const KEY = 'mailhook_time_zone';
const { lang } = document.documentElement;
/** As the server does it (`formats.ts`). */
const locale = lang === 'en' ? 'en-GB' : lang;
const stored = new RegExp(`(?:^|; )${KEY}=([^;]*)`).exec(document.cookie)?.[1];

/** The zone that `read` names. Undefined if this browser does not know it. */
function knownZone(read) {
  try {
    // Intl would take undefined for the own zone.
    const timeZone = String(read());
    new Intl.DateTimeFormat(locale, { timeZone });
    return timeZone;
  } catch {
    return undefined;
  }
}
const own = knownZone(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
let zone = stored === undefined ? own : knownZone(() => decodeURIComponent(stored));
/** Times are in UTC if no zone is known, and that is not stored. */
let isKnown = zone !== undefined;
zone ??= 'UTC';

/** Browsers may refuse to store anything. The choice then lasts as long as the page. */
function store() {
  // In a frame of another site, browsers keep only a partitioned cookie.
  const kind = globalThis.top === globalThis ? 'SameSite=Lax' : 'SameSite=None; Secure; Partitioned';
  // Without a zone, the server must read times in UTC too.
  const maxAgeS = isKnown ? 31536000 : 0;
  document.cookie = `${KEY}=${encodeURIComponent(zone)}; Path=/; Max-Age=${maxAgeS}; ${kind}`;
}

const wholeTime = (date) =>
  date.toLocaleString(locale, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23', timeZone: zone });

const AGO = new Intl.RelativeTimeFormat(locale, { style: 'short', numeric: 'always' });
const UNITS = [
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];
/** How long ago a time was, such as `4 min ago`. A time to come counts as one that has just been. */
function agoText(date) {
  const seconds = Math.max(0, Math.floor((Date.now() - date.getTime()) / 1000));
  const [unit, length] = UNITS.find(([, one]) => seconds >= one) ?? UNITS[3];
  return AGO.format(-Math.floor(seconds / length), unit);
}
const AGO_EVERY_MS = 20_000;

/** Converts all times in `root` to the chosen zone. A time of today has no date. */
export function showTimes(root) {
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZone: zone };
  const dayOf = (date) => date.toLocaleDateString(locale, { timeZone: zone });
  const today = dayOf(new Date());
  for (const element of root.querySelectorAll('time')) {
    const date = new Date(element.dateTime);
    if (element.dataset.as === 'ago') {
      element.textContent = agoText(date);
      element.title = wholeTime(date);
      continue;
    }
    if ('as' in element.dataset) {
      const { hour, minute, hourCycle, timeZone } = clock;
      const isDay = element.dataset.as === 'day';
      element.textContent = isDay
        ? date.toLocaleDateString(locale, { day: 'numeric', month: 'short', timeZone })
        : date.toLocaleTimeString(locale, { hour, minute, hourCycle, timeZone });
      continue;
    }
    const day = dayOf(date) === today ? {} : { day: 'numeric', month: 'short' };
    element.textContent = `${date.toLocaleString(locale, { ...day, ...clock })}${zone === 'UTC' ? ' UTC' : ''}`;
    element.title = wholeTime(date);
  }
}

/** A time as the fields of a filter have it, such as `2026-01-31 09:30`. */
const localMinute = (iso) =>
  new Date(iso).toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short', timeZone: zone });

/** The server reads the times of a filter in the zone of the cookie. */
function showZone() {
  for (const label of document.querySelectorAll('[data-zone]')) label.textContent = zone;
  for (const field of document.querySelectorAll('[data-time]'))
    if (!Number.isNaN(Date.parse(field.dataset.time))) field.value = localMinute(field.dataset.time);
}

/** A zone's name with its distance from UTC, such as `Europe/Berlin (GMT+1)`. */
function nameOf(timeZone) {
  if (timeZone === 'UTC') return timeZone;
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'shortOffset' }).formatToParts();
  return `${timeZone} (${parts.find(({ type }) => type === 'timeZoneName')?.value})`;
}

function show() {
  store();
  showZone();
  showTimes(document);
}

/** Replaces the note that times are in UTC by a choice of the zone, and shows the times of the page. Runs once. */
export function startTimes() {
  const label = document.createElement('label');
  const select = document.createElement('select');
  for (const one of new Set([own ?? 'UTC', zone, 'UTC'])) select.add(new Option(nameOf(one), one, false, one === zone));
  const note = document.querySelector('[data-time-zone]');
  label.append(`${note?.dataset.timeZone} `, select);
  note?.replaceChildren(label);
  select.addEventListener('change', () => {
    zone = select.value;
    isKnown = true;
    show();
  });
  show();
}
setInterval(() => showTimes(document), AGO_EVERY_MS);
