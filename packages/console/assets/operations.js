// The operations pages work without this script. With it, they update themselves, and times are in the reader's time
// zone.

import { prepare, remember, takeIn, touched } from './parts.js';
import { startTimes } from './times.js';

const UPDATE_EVERY_MS = 5000;
/** An answer that takes longer counts as none. */
const UPDATE_TIMEOUT_MS = 15_000;
const main = document.querySelector('[data-live]');
let updatedAt = new Date();
/** While a button is pressed, it must not be replaced, because the browser would then drop the click. */
let isPressed = false;

/** Says clearly that the page shows an earlier time. An old page of calm would hide a fault. */
function showLive(isLive) {
  const state = document.getElementById('live-state');
  state.hidden = false;
  state.classList.toggle('paused', !isLive);
  state.textContent = isLive ? 'Live' : 'Cut off';
  const place = document.getElementById('cut-off');
  if (isLive) place.replaceChildren();
  if (isLive || place.firstChild !== null) return;
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
  if (shows === 'fault' || shows === main.dataset.shows) takeIn(fresh);
  // The page began with a fault, so it has no parts to update.
  else location.assign(main.dataset.live);
}

async function update() {
  if (document.visibilityState === 'hidden') return;
  try {
    const answer = await fetch(main.dataset.live, { signal: globalThis.AbortSignal.timeout(UPDATE_TIMEOUT_MS) });
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (fresh.querySelector('[data-live]') === null) throw new Error(`HTTP ${answer.status}`);
    if (!isPressed) takePage(fresh);
    if (answer.ok) updatedAt = new Date();
    showLive(answer.ok);
  } catch {
    showLive(false);
  }
}

async function keepUpdating() {
  await update();
  setTimeout(() => void keepUpdating(), UPDATE_EVERY_MS);
}

startTimes();
if (main !== null) {
  remember(document);
  if (main.dataset.shows !== 'fault') showLive(true);
  document.addEventListener('input', ({ target }) => {
    const part = target.closest('[data-part]');
    if (part !== null) touched.add(part.id);
  });
  document.addEventListener('pointerdown', () => (isPressed = true));
  for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => (isPressed = false));
  document.addEventListener('visibilitychange', () => void update());
  setTimeout(() => void keepUpdating(), UPDATE_EVERY_MS);
}
