// A page consists of parts (`data-part`). A part that the server renders differently replaces the one on the page.
// Parts with typed input stay.

import { showTimes } from './times.js';

/** The HTML that the server last sent for each part, by id. */
const served = new Map();
/** Ids of parts with typed input. Only the answer to a form in the part replaces it. */
export const touched = new Set();

/** Starts independent parts of the script. One that fails is reported, and ends no other. */
export function startAll(...starts) {
  for (const start of starts) {
    try {
      start();
    } catch (error) {
      reportError(error);
    }
  }
}

const partsIn = (root) => root.querySelectorAll('[data-part]');

/** A part's HTML as the server sent it, without its inner parts, which are compared separately. */
function signatureOf(part) {
  const copy = part.cloneNode(true);
  for (const inner of partsIn(copy)) inner.replaceWith(inner.id);
  return copy.outerHTML;
}

export function remember(root) {
  for (const part of partsIn(root)) served.set(part.id, signatureOf(part));
}

export function prepare(root) {
  showTimes(root);
  for (const element of root.querySelectorAll('[data-without-script]')) element.hidden = true;
  for (const button of root.querySelectorAll('[data-copy], [data-close]')) button.hidden = false;
  // The bars of a chart are one stop of the Tab key. The arrow keys go from bar to bar.
  for (const columns of root.querySelectorAll('.columns'))
    for (const bar of [...columns.querySelectorAll('a')].slice(0, -1)) bar.tabIndex = -1;
}

const openDetailsIn = (root) => [...root.querySelectorAll('details[open]')].map(({ id }) => id);

function replacePart(old, fresh, { closing }) {
  const opened = openDetailsIn(old).filter((id) => id !== closing);
  const focused = old.contains(document.activeElement) ? document.activeElement.id : '';
  const copy = document.importNode(fresh, true);
  old.replaceWith(copy);
  for (const id of opened) document.getElementById(id)?.setAttribute('open', '');
  prepare(copy);
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true });
}

/** Updates a list without replacing the members that stay, so that their input and focus stay too. */
function replaceMembers(old, fresh) {
  const wanted = [...fresh.children];
  const ids = new Set(wanted.map(({ id }) => id));
  for (const child of [...old.children]) if (!ids.has(child.id)) child.remove();
  wanted.forEach((child, i) => {
    let member = document.getElementById(child.id);
    if (member === null) {
      member = document.importNode(child, true);
      member.classList.add('is-new');
      prepare(member);
    }
    if (old.children[i] !== member) old.insertBefore(member, old.children[i] ?? null);
  });
}

/** Updates the page from the server's answer. `form` is the submitted form, if there was one. */
export function takeIn(fresh, form) {
  const own = form?.dataset.about ?? form?.closest('[data-part]')?.id;
  const closing = fresh.querySelector('[aria-invalid]') === null ? form?.closest('details')?.id : undefined;
  touched.delete(own);
  const changed = [...partsIn(fresh)].map((part) => [part, signatureOf(part)]);
  for (const [part, signature] of changed) {
    const old = document.getElementById(part.id);
    if (old === null) continue;
    // What a form has just brought to stay is shown, also in place of what stayed before.
    const isReport = form !== undefined && part.hasAttribute('data-keep');
    const isKept = part.id !== own && (touched.has(part.id) || (old.hasAttribute('data-keep') && !isReport));
    // A question that was closed may come again.
    const isAsked = form !== undefined && part.hasAttribute('data-asked');
    if ((served.get(part.id) === signature && !isAsked) || isKept) continue;
    // If the server could not read a list, the page keeps the old one.
    if (part.querySelector(':scope > [data-fault]') !== null) continue;
    served.set(part.id, signature);
    if (part.hasAttribute('data-list')) replaceMembers(old, part);
    else replacePart(old, part, { closing });
  }
  // Updates have no outcome. That of the last form stays.
  if (form === undefined) return;
  const [old, said] = [document, fresh].map((root) => root.querySelector('[data-outcome]'));
  if (old === null || said === null || old.innerHTML === said.innerHTML) return;
  old.replaceChildren(...said.childNodes);
  prepare(old);
}

/** Where a row is in the window. NaN for one that is not shown. */
function topOf(id) {
  const row = document.getElementById(id);
  return row?.checkVisibility() ? row.getBoundingClientRect().top : NaN;
}

/** Opens or closes a row. It stays where it was in the window, although other rows change their height. */
export function openRow(page) {
  const id = (page.querySelector('.is-chosen') ?? document.querySelector('.is-chosen'))?.id;
  const before = topOf(id);
  takeIn(page);
  document.getElementById('split').className = page.getElementById('split').className;
  globalThis.scrollBy({ top: topOf(id) - before || 0, behavior: 'instant' });
  const row = document.getElementById(id);
  const title = document.querySelector('#panel h2');
  // In a narrow window the panel covers the list, and only one of the two is shown.
  for (const element of [row, title]) element?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  (title ?? row?.querySelector('[data-open]'))?.focus({ preventScroll: true });
}
