import type { AttemptReply, TestTraffic } from '@mailhook/core';
import { masked } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

const linesOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

/** A request as text, like on the wire. Without `headers`, only its first line. */
export const requestText = (address: string, headers: Readonly<Record<string, string>> = {}, body?: string): string =>
  [`POST ${masked(address)}`, ...linesOf(headers), ...(body === undefined ? [] : ['', body])].join('\n');

/** The kept part of a reply as text. */
export const replyText = ({ status, headers, body }: AttemptReply): string =>
  [`HTTP ${status}`, ...linesOf(headers), '', body].join('\n').trimEnd();

/** Says which part of the body `replyText` shows. */
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
<pre tabindex="0">${requestText(address, request.headers, request.body)}</pre></figure>
<figure class="traffic"><figcaption>Reply</figcaption>
${
  reply === undefined
    ? markup`<p class="hint">None came, or this installation shows none.</p>`
    : markup`<pre tabindex="0">${replyText(reply)}</pre><p class="hint">${bodyNote(reply)}</p>`
}</figure>`;
}
