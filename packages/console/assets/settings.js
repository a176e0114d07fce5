// The settings page works without this script. With it, forms need no reload and new deliveries appear automatically.
// Every answer is the page itself, rendered by the server. The script updates the parts that changed.

import { prepare, remember, takeIn, touched } from './parts.js';
import { startTimes } from './times.js';

const NEWS_EVERY_MS = 3000;
const main = document.querySelector('[data-signed-in]');

function tell(text) {
  const place = document.getElementById('page-notice');
  if (text === '') place.replaceChildren();
  else if (place.textContent !== text) {
    const notice = document.createElement('p');
    notice.className = 'notice bad';
    notice.textContent = text;
    place.replaceChildren(notice);
  }
}

const parse = (text) => new DOMParser().parseFromString(text, 'text/html');

/** Sends a form and updates the page from the answer. If that fails, typed input stays. */
async function send(form, button) {
  userActions += 1;
  const section = document.getElementById(form.closest('section').id);
  const label = button.innerHTML;
  button.setAttribute('aria-disabled', 'true');
  button.textContent = button.dataset.busy ?? label;
  try {
    const body = new URLSearchParams(new FormData(form, button));
    const [target] = form.action.split('#');
    const answer = await fetch(target + location.search, { method: 'POST', body });
    const page = parse(await answer.text());
    if (page.querySelector('[data-signed-in]') === null) {
      tell(refusalOf(answer.status));
      return;
    }
    tell('');
    userActions += 1;
    if (form.id === 'find') showFound(answer);
    takeIn(page, form);
    newsTag = null;
    focusAfter(button.id, section);
  } catch {
    tell('Mailhook could not be reached. Nothing that you typed is lost: try again in a moment.');
  } finally {
    const still = document.getElementById(button.id);
    still?.removeAttribute('aria-disabled');
    if (still === button) button.innerHTML = label;
  }
}

/**
 * The server redirects to an address with the event's hash or id, so that it can be bookmarked. It puts no recipient
 * there.
 */
function showFound(answer) {
  const [, search = ''] = (answer.redirected ? answer.url : location.href).split('#')[0].split('?');
  const query = new URLSearchParams(search);
  if (!answer.redirected) query.delete('event');
  history.replaceState(null, '', query.size === 0 ? location.pathname : `?${query}`);
}

const refusalOf = (status) =>
  status === 401
    ? 'portal' in main.dataset
      ? 'Your session has ended. Copy what you typed here, then open these settings again from where you came.'
      : 'Your session has ended. Sign in again in another window, then come back: nothing that you typed here is lost.'
    : 'Mailhook could not do this at the moment. Nothing that you typed is lost: try again.';

/** Focuses the first invalid field, or else the pressed button, or else the section's heading. */
function focusAfter(id, section) {
  const invalid = document.querySelector('main [aria-invalid]');
  const button = document.getElementById(id);
  if (invalid !== null) invalid.focus();
  else if (button !== null && button.checkVisibility()) button.focus({ preventScroll: true });
  else section?.querySelector('h2')?.focus();
}

/** Puts the filters into the page's address, so that it can be bookmarked and shared. */
async function ask(form) {
  const query = new URLSearchParams(location.search);
  query.delete('cursor');
  for (const [name, value] of new FormData(form)) {
    if (value === '') query.delete(name);
    else query.set(name, String(value));
  }
  const search = query.toString();
  history.replaceState(null, '', search === '' ? location.pathname : `?${search}`);
  try {
    const answer = await fetch(location.pathname + location.search);
    const page = parse(await answer.text());
    if (page.querySelector('[data-signed-in]') === null) tell(refusalOf(401));
    else takeIn(page);
    newsTag = null;
  } catch {
    tell('Mailhook could not be reached. Try again in a moment.');
  }
}

function showLive(isLive) {
  const state = document.getElementById('live-state');
  state.hidden = false;
  state.classList.toggle('paused', !isLive);
  state.textContent = isLive ? 'Live' : 'Paused: Mailhook does not answer';
}

/** ETag of the last update. The server answers 304 while nothing has changed. */
let newsTag = null;

/** Rises when a form is sent or answered. News that were requested before would show the old state again. */
let userActions = 0;
/** While a button is pressed, it must not be replaced, because the browser would then drop the click. */
let isPressed = false;

async function lookForNews() {
  if (document.visibilityState === 'hidden') return;
  const earlierActions = userActions;
  try {
    const headers = newsTag === null ? {} : { 'if-none-match': newsTag };
    const answer = await fetch(`${location.pathname}/news${location.search}`, { headers });
    if (answer.status === 401) {
      tell(refusalOf(401));
      showLive(false);
      return;
    }
    const news = answer.ok ? parse(await answer.text()) : undefined;
    if (news !== undefined && !isPressed && userActions === earlierActions) {
      takeIn(news);
      newsTag = answer.headers.get('etag');
    }
    showLive(answer.ok || answer.status === 304);
  } catch {
    showLive(false);
  }
}

async function copy(button) {
  const label = button.innerHTML;
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = 'Copied';
  } catch {
    // Without permission or without https, select the text, so that the user can copy it with the keyboard.
    getSelection()?.selectAllChildren(source);
    button.textContent = 'Press Ctrl+C';
  }
  setTimeout(() => (button.innerHTML = label), 2000);
}

function markSection() {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of document.querySelectorAll('nav a')) {
          if (link.hash === `#${entry.target.id}`) link.setAttribute('aria-current', 'true');
          else link.removeAttribute('aria-current');
        }
      }
    },
    { rootMargin: '-20% 0px -70% 0px' },
  );
  for (const section of document.querySelectorAll('main > section')) seen.observe(section);
}

function start() {
  remember(document);
  startTimes();
  prepare(document);
  for (const element of document.querySelectorAll('[data-without-script]')) element.hidden = true;
  document.addEventListener('input', ({ target }) => {
    const part = target.closest('[data-part]');
    if (part !== null) touched.add(part.id);
  });
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if ('plain' in form.dataset || submitter?.getAttribute('aria-disabled') === 'true') {
      if (!('plain' in form.dataset)) event.preventDefault();
      return;
    }
    event.preventDefault();
    if (form.method === 'get') void ask(form);
    else void send(form, submitter ?? form.querySelector('button'));
  });
  document.addEventListener('change', ({ target }) => {
    const form = target.closest('[data-filter]');
    if (form !== null) void ask(form);
  });
  document.addEventListener('click', ({ target }) => {
    const button = target.closest('[data-copy]');
    if (button !== null) void copy(button);
  });
  document.addEventListener('pointerdown', () => (isPressed = true));
  for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => (isPressed = false));
  document.addEventListener('visibilitychange', () => void lookForNews());
  setInterval(() => void lookForNews(), NEWS_EVERY_MS);
  void lookForNews();
  markSection();
}

/** In a frame, other pages of Mailhook refuse to be shown, so their links open a new window. */
function leaveFrame(event) {
  const link = event.target.closest('a[href^="/docs"]');
  if (link !== null) link.target = '_blank';
}

if (main !== null) start();
if (globalThis.top !== globalThis) document.addEventListener('click', leaveFrame, { capture: true });
