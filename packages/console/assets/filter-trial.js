// Says how many past events a filter lets through, as soon as one of its fields or types has changed. Without this
// script, the button of the form says it.

import { takeIn } from './parts.js';

const FIELDS = /^(?:filter|types)\.|^(?:module|type)$/;
/** How often something was changed. An answer to an earlier change comes too late. */
let changes = 0;

async function renew(form, parse) {
  changes += 1;
  const own = changes;
  const place = form.querySelector('[data-trial]');
  place.classList.add('is-old');
  const body = new URLSearchParams(new FormData(form));
  body.set('do', 'preview-endpoint');
  const answer = await fetch(location.pathname + location.search, { method: 'POST', body });
  const page = parse(await answer.text());
  if (own !== changes) return;
  // Everything else on the page stays as it is.
  for (const part of page.querySelectorAll('[data-part]:not([data-trial])')) delete part.dataset.part;
  takeIn(page);
  document.getElementById(place.id)?.classList.remove('is-old');
}

/** An answer that does not come leaves the place empty: no number is better than that of another filter. */
export function startFilterTrial(parse) {
  document.addEventListener('change', ({ target }) => {
    const form = target.closest('[data-tries]');
    if (form !== null && FIELDS.test(target.name)) renew(form, parse).catch(() => undefined);
  });
}
