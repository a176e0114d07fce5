// The pages of customers and of operators work without this script. With it, forms need no reload, and what changes
// appears by itself. Every answer is the page itself, rendered by the server. The script updates what has changed.

import { closePanelOf, focusAfter, removeGoodOutcome, markDone, openDialog, showResults } from './after-answer.js';
import { copy } from './copy.js';
import { startFilterTrial } from './filter-trial.js';
import { fetchUpdate, forgetUpdate, noteUpdate, rememberUpdate, updatedAt } from './updates.js';
import { openRow, prepare, remember, startAll, takeIn, touched } from './parts.js';
import { startTimes } from './times.js';
import { mayLeave, showUnsaved, startUnsaved } from './unsaved.js';

const NEWS_EVERY_MS = 5000;
/** An open page that nobody has used for this long asks less often, until somebody uses it. */
const QUIET_AFTER_MS = 120_000;
const QUIET_EVERY_MS = 20_000;
/** What had a place on one page before, by its anchor. Links to it are in use. */
const PLACES_OF_ANCHORS = {
  '/settings/webhooks': {
    '#campaign': '/settings/webhooks/endpoints/campaign',
    '#subscriptions': '/settings/webhooks/endpoints',
    '#deliveries': '/settings/webhooks/deliveries',
    '#dead-letters': '/settings/webhooks/dead-letters',
    '#event': '/settings/webhooks/events',
    '#secrets': '/settings/webhooks/secrets',
    '#sessions': '/settings/webhooks/developers',
  },
  '/admin': {
    '#destinations': '/admin/pages/destinations?state=attention',
    '#accounts': '/admin/pages/accounts',
    '#dead-letters': '/admin/pages/dead-letters',
    '#actions': '/admin/pages/audit',
    '#workers': '/admin/pages/workers',
    '#installation': '/admin/pages/queues',
  },
};

/** The content of the page, unless nobody is signed in. Its attributes are the texts of this script. */
const main = () => document.querySelector('[data-signed-in]');

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
  const section = form.closest('section')?.id;
  const label = button.innerHTML;
  button.setAttribute('aria-disabled', 'true');
  if (button.dataset.busy !== undefined) button.textContent = button.dataset.busy;
  try {
    const body = new URLSearchParams(new FormData(form, button));
    const answer = await fetch(location.pathname + location.search, { method: 'POST', body });
    const page = parse(await answer.text());
    const fresh = page.querySelector('[data-signed-in]');
    if (fresh === null) {
      tell(refusalOf(answer.status));
      return;
    }
    // Whoever stays gets the answer on this page.
    if (fresh.dataset.page !== main().dataset.page && !leaves(form)) fresh.dataset.page = main().dataset.page;
    tell('');
    userActions += 1;
    forgetUpdate();
    if (fresh.dataset.page === main().dataset.page) {
      takeIn(page, form);
      if (!isUnread(page)) noteUpdate();
      document.title = page.title;
    } else {
      showPage(page);
      history.pushState(null, '', main().dataset.page);
      globalThis.scrollTo(0, 0);
    }
    if (answer.ok && form.isConnected && 'fresh' in form.dataset) {
      form.reset();
      closePanelOf(form);
    }
    if (!openDialog(button.id)) focusAfter(button.id, section);
    showResults();
    removeGoodOutcome();
    if (page.querySelector('[data-outcome] .good') !== null) markDone(button.id);
    showUnsaved();
  } catch {
    tell(main().dataset.unreachableTyped);
  } finally {
    const still = button.id === '' ? button : document.getElementById(button.id);
    still?.removeAttribute('aria-disabled');
    if (still === button) button.innerHTML = label;
  }
}

/** Shows another page, such as the list after a subscription is deleted. */
function showPage(page) {
  document.title = page.title;
  document.body.replaceWith(document.adoptNode(page.body));
  begin();
}

/** Whether a banner says that the page could not be read. */
const isUnread = (page) => page.querySelector('[data-banner] > *') !== null;

/** After the first event, and after a part could not be read, the page has other parts, unless the customer types. */
async function showAfresh() {
  const answer = await fetch(location.pathname + location.search);
  const page = parse(await answer.text());
  const isWhole = page.querySelector('[data-signed-in]') !== null && !isUnread(page);
  if (touched.size === 0 && isWhole) showPage(page);
}

const leaves = (sent) => mayLeave(main().dataset.leave, sent);

/** After Back or Forward, the address is that of another page. */
function changePage() {
  if (leaves()) location.reload();
  else history.pushState(null, '', main().dataset.page);
}

const refusalOf = (status) => (status === 401 ? main().dataset.ended : main().dataset.failed);

/** How often filters were chosen. An answer to earlier ones comes too late. */
let filtered = 0;

/** Puts the filters into the page's address, so that it can be bookmarked and shared. */
async function ask(form) {
  filtered += 1;
  const own = filtered;
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
    if (own !== filtered) return;
    if (page.querySelector('[data-signed-in]') === null) tell(refusalOf(401));
    else {
      takeIn(page);
      // The server names times as they are in every zone.
      history.replaceState(null, '', answer.url);
      for (const field of form.querySelectorAll('[data-time]'))
        field.dataset.time = page.getElementById(field.id)?.dataset.time ?? '';
    }
    forgetUpdate();
  } catch {
    tell(main().dataset.unreachable);
  }
}

let isPaused = false;

/** Says whether the page shows the present: `on`, `cut` or `paused`. An old page of calm would hide a fault. */
function showLive(state) {
  const place = document.getElementById('live-state');
  if (place === null) return;
  place.hidden = false;
  place.className = `live ${state}`;
  (place.querySelector('[data-live-text]') ?? place).textContent = place.dataset[state];
  const refresh = document.getElementById('refresh');
  if (refresh !== null) refresh.hidden = state === 'on';
  showCut(state === 'cut');
}

/** Says since when a page of operators is old. */
function showCut(isCut) {
  const place = document.getElementById('cut-off');
  if (place === null) return;
  if (!isCut) place.replaceChildren();
  if (!isCut || place.firstChild !== null) return;
  const notice = document.createElement('p');
  notice.className = 'notice bad';
  notice.append(main().dataset.cutOff, updatedAt.cloneNode(), '.');
  place.append(notice);
  prepare(place);
}

function togglePause(button) {
  isPaused = !isPaused;
  button.querySelector('span').textContent = isPaused ? 'Resume updates' : 'Pause updates';
  showLive(isPaused ? 'paused' : 'on');
  void lookForNews();
}

/** Rises when a form is sent or answered. News that were requested before would show the old state again. */
let userActions = 0;
/** While a button is pressed, it must not be replaced, because the browser would then drop the click. */
let isPressed = false;

async function lookForNews() {
  const { news: url } = main().dataset;
  if (url === undefined || isPaused || document.visibilityState === 'hidden') return;
  const earlierActions = userActions;
  try {
    const { answer, update } = await fetchUpdate(url.includes('?') ? url : url + location.search);
    if (isPaused) return;
    if (answer.status === 401) {
      tell(refusalOf(401));
      showLive('cut');
      return;
    }
    if (update !== undefined && !isPressed && userActions === earlierActions) await takeNews(update, answer);
    const isCurrent = answer.ok || answer.status === 304;
    if (isCurrent) noteUpdate();
    showLive(isCurrent ? 'on' : 'cut');
  } catch {
    if (!isPaused) showLive('cut');
  }
}

/** The window's title says how many endpoints need attention, as the navigation does. */
function showTroubled() {
  const troubled = document.querySelector('[data-troubled]')?.dataset.troubled;
  const title = document.title.replace(/^\(\d+\) /, '');
  document.title = troubled === undefined ? title : `(${troubled}) ${title}`;
}

async function takeNews(text, answer) {
  const news = parse(text);
  // What could not be read stays as it was. Only the banner is new.
  if (!answer.ok) for (const part of news.querySelectorAll('[data-part]:not([data-banner])')) part.remove();
  const isFirst = news.getElementById('figures') !== null && document.getElementById('figures') === null;
  const isBack = answer.ok && isUnread(document);
  takeIn(news);
  showTroubled();
  if (isFirst || isBack) await showAfresh();
  // A page of operators is its own update, and its title says how many things need attention.
  else if (answer.ok && news.title !== '') {
    document.title = news.title;
    document.querySelector('h1').replaceChildren(...news.querySelector('h1').childNodes);
  }
  rememberUpdate(answer, text);
}

let usedAtMs = Date.now();
/** Undefined while updates are loaded. */
let nextLook;

const isQuiet = () => Date.now() - usedAtMs > QUIET_AFTER_MS;

/** Pages that are their own update, those of operators, have just been loaded. */
async function keepLooking(isFirst = true) {
  nextLook = undefined;
  if (!isFirst || !('isNews' in main().dataset)) await lookForNews();
  nextLook = setTimeout(() => void keepLooking(false), isQuiet() ? QUIET_EVERY_MS : NEWS_EVERY_MS);
}

function noteUse() {
  const wasQuiet = isQuiet();
  usedAtMs = Date.now();
  if (!wasQuiet || nextLook === undefined) return;
  clearTimeout(nextLook);
  void keepLooking(false);
}

/** The search that the page shows the results of, with one of them open. No address may have its text. */
function searchWith(entry) {
  const event = document.getElementById('find-event')?.defaultValue ?? '';
  return event === '' ? undefined : { method: 'POST', body: new URLSearchParams({ do: 'find-event', event, entry }) };
}

/** Opens an attempt or a dead letter beside its list, or closes it, without a new page. */
async function open(link) {
  userActions += 1;
  const search = searchWith(new URL(link.href).searchParams.get('entry') ?? '');
  try {
    const page = parse(await (await fetch(link.href, search)).text());
    if (page.querySelector('[data-signed-in]') === null) throw new Error('signed out');
    if (search === undefined) history.pushState(null, '', link.href);
    openRow(page);
    forgetUpdate();
  } catch {
    location.assign(link.href);
  }
}

/** What `j` and `k` go through: rows that open beside their list, or else those that lead to a page. */
const rowsOf = () => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const rows = shown('main [data-part] [data-open]').filter((one) => !one.closest('#panel'));
  return rows.length > 0 ? rows : shown('main .whole');
};

/** Focuses the next row, or the one before. While a row is open, opens that one instead. */
function goTo(step) {
  const chosen = document.querySelector('.is-chosen [data-open]');
  const rows = rowsOf();
  const at = rows.indexOf(chosen ?? document.activeElement);
  const next = rows[at === -1 ? 0 : at + step];
  if (next === undefined) return;
  if (chosen === null) next.focus();
  else next.click();
}

/** Closes the open menus that do not hold `element`. */
function closeMenus(element) {
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(element)) menu.open = false;
}

/**
 * Keys: `/` searches, `j` and `k` go through a list, as the arrows do while one of its rows is open. The arrows go from
 * bar to bar of a chart, Escape closes, and `?` lists the keys.
 */
function onKey(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Escape in a dialog closes it alone.
  if (key === 'Escape' && document.querySelector('dialog:modal') === null) {
    closeMenus();
    document.querySelector('#panel .close')?.click();
  }
  if (target.closest('input, select, textarea, pre') !== null) return;
  const bars = [...(target.closest('.columns')?.querySelectorAll('a') ?? [])];
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
  if (bars.length > 0 && step !== 0) bars[bars.indexOf(target) + step]?.focus();
  if (key === '/') document.getElementById('search').focus();
  if (key === '?') document.getElementById('keys')?.showModal();
  const isOpen = document.querySelector('.is-chosen') !== null;
  const way = { j: 1, k: -1, ...(isOpen && { ArrowDown: 1, ArrowUp: -1 }) }[key];
  if (way !== undefined) goTo(way);
  if (key === '/' || way !== undefined) event.preventDefault();
}

/** Prepares the page that the document has now. */
function begin() {
  startAll(
    () => remember(document),
    startTimes,
    () => prepare(document),
  );
  for (const element of document.querySelectorAll('[data-with-script]')) element.hidden = false;
  const pause = document.getElementById('pause');
  if (pause !== null) pause.hidden = false;
  if (!isUnread(document)) noteUpdate();
  if (pause !== null) showLive(isUnread(document) ? 'cut' : 'on');
}

const watchUnsaved = () => startUnsaved(send);

function start() {
  begin();
  startAll(watchUnsaved, showUnsaved, () => startFilterTrial(parse));
  document.addEventListener('input', ({ target }) => {
    const part = target.closest('[data-part]');
    // To open a tab is no typed input.
    if (part !== null && !target.matches('.tabs > input')) touched.add(part.id);
  });
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    // A dialog closes.
    if ((submitter?.formMethod || form.method) === 'dialog' || 'plain' in form.dataset) return;
    event.preventDefault();
    if (submitter?.getAttribute('aria-disabled') === 'true') return;
    closeMenus();
    if (form.method === 'get') void ask(form);
    else void send(form, submitter ?? form.querySelector('button'));
  });
  document.addEventListener('change', ({ target }) => {
    const form = target.closest('[data-filter]');
    if (form !== null && form.reportValidity()) void ask(form);
    target.closest('.language')?.requestSubmit();
  });
  document.addEventListener('click', (event) => {
    const { target } = event;
    closeMenus(target);
    if (target.closest('#show-keys') !== null) document.getElementById('keys').showModal();
    const button = target.closest('[data-copy]');
    if (button !== null) void copy(button);
    target.closest('[data-close]')?.closest('[data-outcome]').replaceChildren();
    const pause = target.closest('#pause');
    if (pause !== null) togglePause(pause);
    const link = target.closest('[data-open]');
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.pathname !== location.pathname || document.getElementById('split') === null) return;
    event.preventDefault();
    void open(link);
  });
  document.addEventListener('keydown', onKey);
  showCurrentPage();
  if (main().dataset.page !== undefined) globalThis.addEventListener('popstate', changePage);
  document.addEventListener('pointerdown', () => (isPressed = true));
  for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => (isPressed = false));
  for (const use of ['pointermove', 'pointerdown', 'keydown', 'scroll'])
    document.addEventListener(use, noteUse, { passive: true });
  document.addEventListener('visibilitychange', () => void lookForNews());
  void keepLooking();
}

/** In a narrow window the navigation and tabs are lines that scroll. They begin where the current page is in view. */
function showCurrentPage() {
  for (const link of document.querySelectorAll('nav [aria-current=page]'))
    link.closest('nav').scrollLeft = link.offsetLeft - link.closest('ul').offsetLeft;
}

/** In a frame, other pages of Mailhook refuse to be shown, so their links open a new window. */
function leaveFrame(event) {
  const link = event.target.closest('a[href^="/docs"], a[href="/openapi.json"]');
  if (link !== null) link.target = '_blank';
}

/**
 * A link on another site, such as a mail program's, opens the sign-in page although there is a session: the browser
 * keeps the cookie back. A request of this page has it.
 */
async function enterIfSignedIn() {
  const page = parse(await (await fetch(location.href)).text());
  if (page.querySelector('[data-signed-in]') === null) return;
  document.title = page.title;
  document.body.replaceWith(document.adoptNode(page.body));
  start();
}

const ofAnchor = PLACES_OF_ANCHORS[location.pathname]?.[location.hash];
if (main() !== null && ofAnchor !== undefined) location.replace(ofAnchor);
else if (main() !== null) start();
else if (document.querySelector('[data-from-elsewhere]') !== null) enterIfSignedIn().catch(() => undefined);
if (globalThis.top !== globalThis) document.addEventListener('click', leaveFrame, { capture: true });
