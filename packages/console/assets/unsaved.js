// The bar that says that a form has unsaved changes. Without this script, each form has its own button.

import { touched } from './parts.js';

const FIELDS = 'input:not([type="hidden"]), select, textarea';

/** What the server has, which differs from what it rendered if it shows typed input again. */
function savedOf(field) {
  if (field.dataset.saved !== undefined) return field.dataset.saved;
  if (field.type === 'select-one')
    return [...field.options].find((one) => one.defaultSelected)?.value ?? field.options[0]?.value;
  return field.defaultValue;
}

/** Whether the server has a box as checked. */
const wasChecked = ({ dataset, defaultChecked }) =>
  dataset.saved === undefined ? defaultChecked : dataset.saved !== '';

const isChanged = (field) =>
  ['checkbox', 'radio'].includes(field.type) ? field.checked !== wasChecked(field) : field.value !== savedOf(field);

const changedForms = () =>
  [...document.querySelectorAll('form[data-guard]')].filter((form) =>
    [...form.querySelectorAll(FIELDS)].some(isChanged),
  );

/** The button that saves the form, as the Enter key does. */
const buttonOf = (form) => form.querySelector('button:not([type="button"])');

export function showUnsaved() {
  const bar = document.getElementById('unsaved');
  if (bar === null) return;
  const [form] = changedForms();
  bar.hidden = form === undefined;
  if (form === undefined) return;
  const save = document.getElementById('unsaved-save');
  save.dataset.text ??= save.textContent.trim();
  save.textContent = buttonOf(form).value.endsWith('-on') ? buttonOf(form).textContent.trim() : save.dataset.text;
}

function discard() {
  for (const form of changedForms()) {
    for (const field of form.querySelectorAll(FIELDS)) {
      if (['checkbox', 'radio'].includes(field.type)) field.checked = wasChecked(field);
      else field.value = savedOf(field);
      field.removeAttribute('aria-invalid');
    }
    touched.delete(form.closest('[data-part]')?.id);
    form.querySelector(FIELDS)?.focus();
  }
  showUnsaved();
}

/** Saves the changed forms one after another, until one is refused. A press while it saves counts as none. */
async function save(send) {
  let changed = changedForms();
  while (changed.length > 0 && buttonOf(changed[0]).getAttribute('aria-disabled') !== 'true') {
    await send(changed[0], buttonOf(changed[0]));
    const left = changedForms();
    if (left.length >= changed.length) return;
    changed = left;
  }
}

/** Asks before another page replaces this one, if forms other than the sent one have unsaved changes. */
export function mayLeave(question, sent) {
  const bar = document.getElementById('unsaved');
  const isSent = (form) => form === sent || form.closest('[data-part]')?.id === sent?.dataset.about;
  if (bar === null || changedForms().every(isSent)) return true;
  bar.hidden = globalThis.confirm(question);
  return bar.hidden;
}

/** Makes the browser ask before it leaves the page, while the bar is shown. */
function guardPage(event) {
  if (document.getElementById('unsaved')?.hidden === false) event.preventDefault();
}

/** `send` sends a form by one of its buttons, and resolves when the page shows the answer. */
export function startUnsaved(send) {
  globalThis.addEventListener('beforeunload', guardPage);
  document.addEventListener('input', showUnsaved);
  document.addEventListener('change', showUnsaved);
  document.addEventListener('click', ({ target }) => {
    if (target.id === 'unsaved-discard') discard();
    if (target.id === 'unsaved-save') void save(send);
  });
}
