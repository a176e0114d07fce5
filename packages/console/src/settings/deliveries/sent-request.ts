import { addressAsSent } from '@mailhook/core';
import type { AttemptRequest, DeliveryAttemptDetail } from '@mailhook/core';
import { unseen } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Localized, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { CURL_BODY_CHARS_MAX, curlCommand } from './curl-command.ts';
import { jsonLines } from '../shared/json-view.ts';
import { bodyPath } from '../navigation.ts';
import { requestText } from '../shared/request-reply.ts';

/** The request of an attempt as it was sent, or its form if the body is not kept. */
export function sentRequest(attempt: DeliveryAttemptDetail): Markup {
  const { wasSent, request, address } = attempt;
  const shown = addressAsSent(address);
  if (request === undefined) {
    return html`<h3 class="unseen">${texts.attempt.request}</h3>
      <pre tabindex="0">${requestText(shown)}</pre>
      <p class="muted">${wasSent === false ? texts.attempt.nothingSent : texts.attempt.nothingKept}</p>`;
  }
  const { body, headers } = request;
  return html`<header class="of-code">
      <h3 class="unseen">${texts.attempt.request}</h3>
      ${body !== undefined && copyButtons(body)}
    </header>
    <pre tabindex="0" id="sent-headers">${requestText(shown, headers)}</pre>
    ${body === undefined ? form(attempt) : html`${json(body, 'sent-body', attempt.id)}${asCurl(shown, headers, body)}`}
    <p class="muted">${notes(attempt, request)}</p>`;
}

const copyButton = (source: string, text: Content): Markup =>
  html`<button type="button" class="button bare" data-copy="${source}" hidden>${icon('copy')}${text}</button>`;

const copyButtons = (body: string): Markup =>
  html`${
    jsonLines(body)?.isCut !== true && copyButton('sent-body', texts.attempt.copyBody({ hidden: unseen }))
  }${copyButton('sent-curl', texts.attempt.copyAsCurl)}`;

/** A body as JSON with colors. A long one is cut, with a link to the whole body. */
function json(body: string, id: string, attempt: string): Markup {
  const found = jsonLines(body);
  return html`<pre tabindex="0" id="${id}" class="json">${found?.lines ?? body}</pre>
    ${
      found?.isCut === true &&
      html`<p class="cut">
        ${texts.attempt.cut({
          link: (words) => html`<a href="${bodyPath(attempt)}">${words}</a>`,
          bytes: count(Buffer.byteLength(body)),
        })}
      </p>`
    }`;
}

const NOT_SHOWN = '(not shown)';

function asCurl(address: string, headers: AttemptRequest['headers'], body: string): Markup {
  const known = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== NOT_SHOWN));
  const isComplete = Object.keys(known).length === Object.keys(headers).length;
  return html`<details class="example" id="as-curl">
    <summary>${texts.attempt.asCurl}</summary>
    <pre tabindex="0" id="sent-curl">${curlCommand({ address, headers: known, body })}</pre>
    <p class="muted">
      ${texts.attempt.curlExpires}${
        !isComplete && [' ', texts.attempt.curlLeavesOut]
      }${body.length > CURL_BODY_CHARS_MAX && [' ', texts.attempt.curlNeedsFile]}
    </p>
  </details>`;
}

const LEFT_OUT = '…';

/** What the log knows of a body that is not kept: the events, with their values left out. */
function form({ kind, types = [], eventKeys = [], events, attempt, status }: DeliveryAttemptDetail): Markup {
  const why = status === 'delivered' ? texts.attempt.bodyNotKept : texts.attempt.bodyNotHeld;
  if (kind === 'test') return html`<p class="muted">${texts.attempt.noBodiesOfTests}</p>`;
  const type = types.length === 1 ? types[0] : LEFT_OUT;
  const known = eventKeys.slice(0, FORM_EVENTS);
  const shape =
    kind === 'campaign'
      ? known.map((hash) => ({ hash, event: type, [LEFT_OUT]: LEFT_OUT, attempt }))
      : { module: 'transactional_email', name: type, messageId: known[0] ?? LEFT_OUT, [LEFT_OUT]: LEFT_OUT };
  const more = kind === 'campaign' && events > known.length;
  return html`<pre tabindex="0" class="json">${jsonLines(JSON.stringify(shape))?.lines}</pre>
    <p class="muted">
      ${why}${more && [' ', texts.attempt.someOf({ shown: count(known.length), events: count(events) })]}
    </p>`;
}

const FORM_EVENTS = 20;

function notes(
  { events }: DeliveryAttemptDetail,
  { body, headers, signatures, bytes, isRepeated }: AttemptRequest,
): Content {
  const size = texts.attempt.size({ events, bytes: count(bytes) });
  return [size, ' ', signatureNote(signatures, headers, body), isRepeated === true && [' ', texts.attempt.repeated]];
}

function signatureNote(signatures: number, headers: AttemptRequest['headers'], body: string | undefined): Content {
  if (signatures === 0) return texts.attempt.notSigned;
  return [texts.attempt.signed({ secrets: signatures }), ' ', whichSignature(headers, body)];
}

function whichSignature(headers: AttemptRequest['headers'], body: string | undefined): Localized {
  if (headers['webhook-signature'] !== undefined) return texts.attempt.signedAgain;
  return body === undefined ? texts.attempt.signatureNeedsBody : texts.attempt.secretsChanged;
}
