// Shows what an endpoint would get, and how many past events its filter lets through, as soon as a field has changed.
// Without this script, the button of the form does it.

import { takeIn } from './parts.js';

const FIELDS = /^(?:filter|types)\.|^(?:module|version|shape|maxEvents)$/;
/** How often something was changed. An answer to an earlier change comes too late. */
let changes = 0;

async function renew(form, parse) {
  changes += 1;
  const own = changes;
  const places = form.closest('[data-part]').querySelectorAll('[data-follows]');
  for (const place of places) place.classList.add('is-old');
  const body = new URLSearchParams(new FormData(form));
  body.set('do', 'preview-endpoint');
  const answer = await fetch(location.pathname + location.search, { method: 'POST', body });
  const page = parse(await answer.text());
  if (own !== changes) return;
  // Everything else on the page stays as it is.
  for (const part of page.querySelectorAll('[data-part]:not([data-follows])')) delete part.dataset.part;
  takeIn(page);
  for (const { id } of places) document.getElementById(id)?.classList.remove('is-old');
}

/** An answer that does not come leaves the places empty: nothing is better than what another form would get. */
export function startFilterTrial(parse) {
  document.addEventListener('change', ({ target }) => {
    const form = target.closest('[data-tries]');
    if (form !== null && FIELDS.test(target.name)) renew(form, parse).catch(() => undefined);
  });
}
