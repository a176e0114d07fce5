// The operations pages work without this script. With it, they update themselves, and times are in the reader's time
// zone.

import { copy } from './copy.js';
import { prepare, remember, startAll, takeIn, touched } from './parts.js';
import { startTimes } from './times.js';

const UPDATE_EVERY_MS = 5000;
/** An answer that takes longer counts as none. */
const UPDATE_TIMEOUT_MS = 15_000;
/** The pages that had a place on one page before, by its anchor. Links to them are in use. */
const PAGES_OF_ANCHORS = {
  '#destinations': 'destinations?state=attention',
  '#accounts': 'accounts',
  '#dead-letters': 'dead-letters',
  '#actions': 'audit',
  '#workers': 'workers',
  '#installation': 'queues',
};

const main = document.querySelector('[data-live]');
let updatedAt = new Date();
/** While a button is pressed, it must not be replaced, because the browser would then drop the click. */
let isPressed = false;
let isPaused = false;

/** Says whether the page shows the present. An old page of calm would hide a fault. */
function showState(state) {
  const place = document.getElementById('live-state');
  place.className = `live ${state}`;
  const words =
    main.dataset.shows === 'fault'
      ? { on: 'Live', paused: 'Paused', cut: 'Cut off' }
      : { on: 'Live, as of', paused: 'Paused, as of', cut: 'Cut off, as of' };
  place.querySelector('[data-live-text]').textContent = words[state];
  document.getElementById('refresh').hidden = state === 'on';
  showCut(state === 'cut');
}

function showCut(isCut) {
  const place = document.getElementById('cut-off');
  if (!isCut) place.replaceChildren();
  if (!isCut || place.firstChild !== null) return;
  const notice = document.createElement('p');
  notice.className = 'notice bad';
  const time = document.createElement('time');
  time.dateTime = updatedAt.toISOString();
  notice.append('Cut off: this page cannot be updated. The figures below are as of ', time, '.');
  place.append(notice);
  prepare(place);
}

function takePage(fresh) {
  const { shows } = fresh.querySelector('[data-live]').dataset;
  document.title = fresh.title;
  const title = fresh.querySelector('h1');
  if (shows !== 'fault') document.querySelector('h1').replaceChildren(...title.childNodes);
  if (shows === 'fault' || shows === main.dataset.shows) takeIn(fresh);
  // The page began with a fault, so it has no parts to update.
  else location.assign(main.dataset.live);
}

async function update() {
  if (isPaused || document.visibilityState === 'hidden') return;
  try {
    const answer = await fetch(main.dataset.live, { signal: globalThis.AbortSignal.timeout(UPDATE_TIMEOUT_MS) });
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (fresh.querySelector('[data-live]') === null) throw new Error(`HTTP ${answer.status}`);
    if (isPaused) return;
    if (!isPressed) takePage(fresh);
    if (answer.ok) updatedAt = new Date();
    showState(answer.ok ? 'on' : 'cut');
  } catch {
    if (!isPaused) showState('cut');
  }
}

async function keepUpdating() {
  await update();
  setTimeout(() => void keepUpdating(), UPDATE_EVERY_MS);
}

function togglePause(button) {
  isPaused = !isPaused;
  button.querySelector('span').textContent = isPaused ? 'Resume' : 'Pause';
  showState(isPaused ? 'paused' : 'on');
  void update();
}

function startUpdates() {
  remember(document);
  showState(main.dataset.shows === 'fault' ? 'cut' : 'on');
  const pause = document.getElementById('pause');
  pause.hidden = false;
  pause.addEventListener('click', () => togglePause(pause));
  document.addEventListener('input', ({ target }) => {
    const part = target.closest('[data-part]');
    if (part !== null) touched.add(part.id);
  });
  document.addEventListener('pointerdown', () => (isPressed = true));
  for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => (isPressed = false));
  document.addEventListener('visibilitychange', () => void update());
  setTimeout(() => void keepUpdating(), UPDATE_EVERY_MS);
}

const ofAnchor = location.pathname === '/admin' ? PAGES_OF_ANCHORS[location.hash] : undefined;
if (ofAnchor !== undefined) location.replace(`/admin/pages/${ofAnchor}`);
startAll(startTimes, () => prepare(document));
document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-copy]');
  if (button !== null) void copy(button);
});
document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, select, textarea') !== null) return;
  if (key !== '/') return;
  document.getElementById('search').focus();
  event.preventDefault();
});
if (main !== null) startUpdates();
