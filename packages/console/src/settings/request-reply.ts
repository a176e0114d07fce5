import type { AttemptReply, TestTraffic } from '@mailhook/core';
import { jsonLines } from './json-view.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

const linesOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

/** The first line and the headers of a request, like on the wire. */
export const requestText = (address: string, headers: Readonly<Record<string, string>> = {}): string =>
  [`POST ${address}`, ...linesOf(headers)].join('\n');

/** The status line and the kept headers of a reply. */
const headText = ({ status, headers }: AttemptReply): string => [`HTTP ${status}`, ...linesOf(headers)].join('\n');

/** A body, with indents and colors if it is JSON. */
const bodyView = (body: string): Markup =>
  markup`<pre tabindex="0" class="json">${jsonLines(body)?.lines ?? body}</pre>`;

/** The kept part of a reply. */
export const keptReply = (kept: AttemptReply): Markup =>
  markup`<pre tabindex="0">${headText(kept)}</pre>${kept.body !== '' && bodyView(kept.body)}`;

/** Says which part of the body `keptReply` shows. */
export function bodyNote({ status, body, isBodyWhole, headers }: AttemptReply): string {
  if (isBodyWhole) return body === '' ? 'The body was empty.' : 'This is the whole body.';
  if (body !== '') return 'This is the start of the body.';
  if (status < 300 && headers['content-encoding'] === undefined) return 'The status decides, and no body came with it.';
  return headers['content-encoding'] === undefined
    ? 'No body came together with the status.'
    : 'The body was compressed, and Mailhook does not keep compressed ones.';
}

export interface Traffic extends TestTraffic {
  readonly address: string;
}

/** The request and the reply of a test. Only the customer who runs the test sees them. */
export function testTraffic({ address, request, reply }: Traffic): Markup {
  if (request === undefined) return markup`<p class="hint">No connection was made, so nothing was sent.</p>`;
  return markup`<figure class="traffic"><figcaption>Request</figcaption>
<pre tabindex="0">${requestText(address, request.headers)}</pre>${bodyView(request.body)}</figure>
<figure class="traffic"><figcaption>Reply</figcaption>
${
  reply === undefined
    ? markup`<p class="hint">None came, or this installation shows none.</p>`
    : markup`${keptReply(reply)}<p class="hint">${bodyNote(reply)}</p>`
}</figure>`;
}
