// What the page does after an answer to a button: its dialog, its panel, the focus, and the mark of the button.

/** The button that the open dialog asks about. */
let asked = '';

/** Makes the question of the answer modal, if it asks one. Without a script, it is open on the page. */
export function openDialog(button) {
  const dialog = document.querySelector('dialog[open]');
  if (dialog === null) return false;
  asked = button;
  dialog.close();
  dialog.showModal();
  return true;
}

/** The panel has asked before the action, which is done now. */
export function closePanelOf(form) {
  const panel = form.closest('details[open]');
  panel?.removeAttribute('open');
  panel?.querySelector('summary').focus({ preventScroll: true });
}

const DONE_MS = 3000;

/** Shows at the button that it has done its work. The page says what that was. */
export function markDone(id) {
  const button = document.getElementById(id);
  button?.classList.add('is-done');
  setTimeout(() => button?.classList.remove('is-done'), DONE_MS);
}

/** Long enough to read a sentence twice. */
const GOOD_SHOWN_MS = 20_000;

/** Removes a good outcome after a while, unless it has a form. */
export function removeGoodOutcome() {
  const said = document.querySelector('[data-outcome]');
  const text = said?.textContent;
  if (said === null || said.querySelector('.good') === null || said.querySelector('form') !== null) return;
  setTimeout(() => said.textContent === text && said.replaceChildren(), GOOD_SHOWN_MS);
}

/** The outcome of a test stands at its form. The line that announces it at the head of the page is only heard then. */
export function showResults() {
  const said = document.querySelector('[data-outcome]');
  const isBelow = said !== null && said.querySelector(':scope > [data-in-results]') !== null;
  said?.classList.toggle('unseen', isBelow);
  const line = document.querySelector('.results > .outcome');
  if (isBelow) line?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
}

/** A group of boxes has its error as a description. */
const INVALID = '[aria-invalid], fieldset[aria-describedby$="-error"] [type="checkbox"]';

/** Focuses the first invalid field of the pressed button's form, or else the button, or else the section's heading. */
export function focusAfter(id, section) {
  const button = document.getElementById(id);
  const invalid = (button?.form ?? document.querySelector('main')).querySelector(INVALID);
  if (invalid !== null) invalid.focus();
  else if (button !== null && button.checkVisibility()) button.focus({ preventScroll: true });
  else if (document.getElementById(asked)?.checkVisibility()) document.getElementById(asked).focus();
  else document.querySelector(`#${section ?? 'main'} h2`)?.focus();
}
