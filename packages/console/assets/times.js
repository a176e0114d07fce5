// Shows times in the reader's time zone, or in UTC. The server writes them in UTC, so the pages work without this
// script.

const KEY = 'mailhook-time-zone';
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Browsers may refuse to store anything. The choice then lasts as long as the page. */
function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

let zone = stored() === 'UTC' ? 'UTC' : own;

/** Converts all times in `root` to the chosen zone. A time of today has no date. */
export function showTimes(root) {
  const dayOf = (date) => date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', timeZone: zone });
  const today = dayOf(new Date());
  const suffix = zone === 'UTC' ? ' UTC' : '';
  for (const element of root.querySelectorAll('time')) {
    const date = new Date(element.dateTime);
    if ('as' in element.dataset) {
      const minute = { hour: '2-digit', minute: '2-digit', timeZone: zone };
      element.textContent = element.dataset.as === 'day' ? dayOf(date) : date.toLocaleTimeString(undefined, minute);
      continue;
    }
    const time = date.toLocaleTimeString(undefined, { timeZone: zone }) + suffix;
    element.textContent = dayOf(date) === today ? time : `${dayOf(date)}, ${time}`;
    element.title = date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long', timeZone: zone });
  }
}

/** A zone's name with its distance from UTC, such as `Europe/Berlin (GMT+1)`. */
function nameOf(timeZone) {
  if (timeZone === 'UTC') return timeZone;
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts();
  return `${timeZone} (${parts.find(({ type }) => type === 'timeZoneName')?.value})`;
}

/** Replaces the note that times are in UTC by a choice of the zone, and shows the times of the page. Runs once. */
export function startTimes() {
  const label = document.createElement('label');
  const select = document.createElement('select');
  for (const one of new Set([own, 'UTC'])) select.add(new Option(nameOf(one), one, false, one === zone));
  label.append('Times in ', select);
  document.querySelector('[data-time-zone]')?.replaceChildren(label);
  select.addEventListener('change', () => {
    zone = select.value;
    try {
      localStorage.setItem(KEY, zone);
    } catch {
      // See `stored`.
    }
    showTimes(document);
  });
  showTimes(document);
}
