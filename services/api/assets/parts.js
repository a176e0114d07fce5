// A page is made of parts (`data-part`). Those that came out differently on the server replace the ones that are shown; what somebody has
// typed in stays.

/** What the server last sent of each part, by id. */
const served = new Map();
/** Ids of parts that somebody has typed in: only the answer to their own form replaces them. */
export const touched = new Set();

const partsIn = (root) => root.querySelectorAll('[data-part]');

/** A part's HTML as it was sent, without the parts inside it, which are compared for themselves. */
function signatureOf(part) {
  const copy = part.cloneNode(true);
  for (const inner of partsIn(copy)) inner.replaceWith(inner.id);
  return copy.outerHTML;
}

export function remember(root) {
  for (const part of partsIn(root)) served.set(part.id, signatureOf(part));
}

/** Times as this reader's clock has them. */
function localise(root) {
  const today = new Date().toDateString();
  for (const element of root.querySelectorAll('time')) {
    const date = new Date(element.dateTime);
    const time = date.toLocaleTimeString();
    const day = date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
    element.textContent = date.toDateString() === today ? time : `${day}, ${time}`;
    element.title = date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
  }
}

export function prepare(root) {
  localise(root);
  for (const button of root.querySelectorAll('[data-copy]')) button.hidden = false;
}

/** Says an outcome aloud: screen readers read what changes in a live region that was there before. */
function announce(root) {
  for (const area of root.querySelectorAll('[data-outcome]')) {
    const said = [...area.childNodes];
    if (said.length === 0) continue;
    area.replaceChildren();
    setTimeout(() => area.replaceChildren(...said), 50);
  }
}

const openDetailsIn = (root) => [...root.querySelectorAll('details[open]')].map(({ id }) => id);

function replacePart(old, fresh, { closing }) {
  const opened = openDetailsIn(old).filter((id) => id !== closing);
  const focused = old.contains(document.activeElement) ? document.activeElement.id : '';
  const copy = document.importNode(fresh, true);
  old.replaceWith(copy);
  for (const id of opened) document.getElementById(id)?.setAttribute('open', '');
  prepare(copy);
  announce(copy);
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true });
}

/** A list keeps the members that stay, so that what is typed or focused in them stays too. */
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

/** Takes in what the server sent. `form` is the one that was answered, if any. */
export function takeIn(fresh, form) {
  const own = form?.closest('[data-part]')?.id;
  const closing = fresh.querySelector('[aria-invalid]') === null ? form?.closest('details')?.id : undefined;
  touched.delete(own);
  const changed = [...partsIn(fresh)].map((part) => [part, signatureOf(part)]);
  for (const [part, signature] of changed) {
    const old = document.getElementById(part.id);
    if (old === null) continue;
    const isKept = part.id !== own && (touched.has(part.id) || old.hasAttribute('data-keep'));
    if (served.get(part.id) === signature || isKept) continue;
    // A list that cannot be read now is still the one that is shown.
    if (part.querySelector(':scope > [data-fault]') !== null) continue;
    served.set(part.id, signature);
    if (part.hasAttribute('data-list')) replaceMembers(old, part);
    else replacePart(old, part, { closing });
  }
  for (const area of fresh.querySelectorAll('section > [data-outcome], main > [data-outcome]')) takeOutcome(area);
}

/** Outcomes of whole sections are no parts: they stay, and what they say changes. */
function takeOutcome(area) {
  const places = [...document.querySelectorAll('section > [data-outcome], main > [data-outcome]')];
  const place = places.find((one) => one.parentElement.id === area.parentElement.id);
  if (place !== undefined && place.innerHTML !== area.innerHTML) place.replaceChildren(...area.childNodes);
}
