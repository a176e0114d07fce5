// What an open page asks for every few seconds. The server answers 304 while nothing has changed, or with changes.

import { prepare } from './parts.js';

/** An answer that takes longer counts as none. */
const TIMEOUT_MS = 15_000;

/** When the page was last updated. */
export const updatedAt = document.createElement('time');
updatedAt.dateTime = new Date().toISOString();

/** Notes that the page shows the present. Pages of operators say since when. */
export function noteUpdate() {
  updatedAt.dateTime = new Date().toISOString();
  const place = document.getElementById('as-of');
  if (place === null) return;
  place.replaceChildren(updatedAt);
  prepare(place);
}

/** ETag and pieces of the last update. */
let tag = null;
let pieces = [];

/** The next update is a whole one, because the page shows something else now. */
export const forgetUpdate = () => {
  tag = null;
};

/** Resolves with the answer and, unless it has none, with the update. */
export async function fetchUpdate(url) {
  const headers = tag === null ? {} : { 'if-none-match': tag, accept: 'application/json, text/html;q=0.5' };
  const answer = await fetch(url, { headers, signal: globalThis.AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok && answer.status !== 503) return { answer };
  const text = await answer.text();
  if (!answer.headers.get('content-type').startsWith('application/json')) return { answer, update: text };
  // A pair of numbers stands for pieces of the last update (`live-documents.ts`).
  const whole = JSON.parse(text).flatMap((one) => (typeof one === 'string' ? one : pieces.slice(...one)));
  return { answer, update: whole.join('') };
}

/** The page has taken this update in. */
export function rememberUpdate(answer, update) {
  tag = answer.ok ? answer.headers.get('etag') : null;
  pieces = update.split(/(?=<)/);
}
