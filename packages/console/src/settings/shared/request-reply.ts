import type { AttemptReply } from '@mailhook/core';
import { jsonLines } from './json-view.ts';
import { html } from '../../html/markup.ts';
import type { Localized, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Traffic } from '../../page/outcome.ts';

const linesOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

/** The first line and the headers of a request, like on the wire. */
export const requestText = (address: string, headers: Readonly<Record<string, string>> = {}): string =>
  [`POST ${address}`, ...linesOf(headers)].join('\n');

/** The status line and the kept headers of a reply. */
const headText = ({ status, headers }: AttemptReply): string => [`HTTP ${status}`, ...linesOf(headers)].join('\n');

/** A body, with indents and colors if it is JSON. */
const bodyView = (body: string): Markup => html`<pre tabindex="0" class="json">${jsonLines(body)?.lines ?? body}</pre>`;

/** The kept part of a reply. */
export const keptReply = (kept: AttemptReply): Markup =>
  html`<pre tabindex="0">${headText(kept)}</pre>
    ${kept.body !== '' && bodyView(kept.body)}`;

/** Says which part of the body `keptReply` shows. */
export function bodyNote({ status, body, isBodyWhole, headers }: AttemptReply): Localized {
  if (isBodyWhole) return body === '' ? texts.attempt.bodyEmpty : texts.attempt.bodyWhole;
  if (body !== '') return texts.attempt.bodyStart;
  if (status < 300 && headers['content-encoding'] === undefined) return texts.attempt.statusDecides;
  return headers['content-encoding'] === undefined ? texts.attempt.noBody : texts.attempt.bodyCompressed;
}

/** The request and the reply of a test. Only the customer who runs the test sees them. */
export function testTraffic({ address, request, reply }: Traffic): Markup {
  if (request === undefined) return html`<p class="hint">${texts.attempt.noConnection}</p>`;
  return html`<figure class="traffic">
      <figcaption>${texts.attempt.request}</figcaption>
      <pre tabindex="0">${requestText(address, request.headers)}</pre>
      ${bodyView(request.body)}
    </figure>
    <figure class="traffic">
      <figcaption>${texts.attempt.reply}</figcaption>
      ${
        reply === undefined
          ? html`<p class="hint">${texts.attempt.noneShown}</p>`
          : html`${keptReply(reply)}
              <p class="hint">${bodyNote(reply)}</p>`
      }
    </figure>`;
}
