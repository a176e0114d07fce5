// The API reference works without this script. With it, calls can be found and tried, and examples copied.

import { copy } from './copy.js';

const show = (place, ...lines) => {
  place.replaceChildren(
    ...lines.map(([tag, text]) => {
      const element = document.createElement(tag);
      element.textContent = text;
      if (tag === 'pre') element.tabIndex = 0;
      return element;
    }),
  );
};

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

async function call(form) {
  const place = form.querySelector('[data-answer]');
  const fields = [...form.querySelectorAll('[data-in]')].filter(({ value }) => value !== '');
  const inPath = new Map(
    fields.filter(({ dataset }) => dataset.in === 'path').map((field) => [field.name, field.value]),
  );
  const query = new URLSearchParams(
    fields.filter(({ dataset }) => dataset.in === 'query').map(({ name, value }) => [name, value]),
  );
  const path = form.dataset.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath.get(name) ?? ''));
  const body = form.elements.namedItem('body')?.value;
  const headers = { authorization: `Bearer ${document.getElementById('token').value}` };
  if (body !== undefined) headers['content-type'] = form.dataset.type;
  const started = Date.now();
  try {
    const answer = await fetch(query.size === 0 ? path : `${path}?${query}`, {
      method: form.dataset.method,
      headers,
      body,
    });
    const text = await answer.text();
    const took = Date.now() - started;
    const said = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const status = `${answer.status} ${answer.statusText} in ${took} ms`;
    show(place, ['p', status], ['pre', said], ['pre', text === '' ? 'No body' : pretty(text)]);
  } catch {
    show(place, ['p', 'The server cannot be reached at the moment.']);
  }
}

const search = document.getElementById('search');
const found = document.getElementById('found');

/** Shows the calls with all typed words in place of the groups. */
function find() {
  const words = search.value.toLowerCase().split(/\s+/);
  for (const call of found.children) {
    const text = `${call.textContent} ${call.dataset.words}`.toLowerCase();
    call.hidden = words.some((word) => !text.includes(word));
  }
  found.hidden = search.value.trim() === '';
  found.nextElementSibling.hidden = !found.hidden;
}

search.addEventListener('input', find);
search.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') found.querySelector('li:not([hidden]) a')?.click();
});
// A call on this page is shown with its group again.
found.addEventListener('click', () => {
  search.value = '';
  find();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea, select, pre') !== null) return;
  event.preventDefault();
  search.focus();
});

for (const part of document.querySelectorAll('[data-find], [data-token], [data-try], [data-copy]')) part.hidden = false;
document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-copy]');
  if (button !== null) void copy(button);
});
document.addEventListener('submit', (event) => {
  event.preventDefault();
  void call(event.target);
});
// A language that is chosen once is chosen for all examples.
document.addEventListener('change', ({ target: { dataset } }) => {
  if (dataset.language === undefined) return;
  for (const choice of document.querySelectorAll(`[data-language="${dataset.language}"]`)) choice.checked = true;
});
