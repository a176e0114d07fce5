import { addressAsSent, formatCount, plural } from '@mailhook/core';
import type { AttemptRequest, DeliveryAttemptDetail } from '@mailhook/core';
import { unseen } from '../html/elements.ts';
import { icon } from '../html/icons.ts';
import { markup } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { CURL_BODY_CHARS_MAX, curlCommand } from './curl-command.ts';
import { jsonLines } from './json-view.ts';
import { bodyPath } from './pages.ts';
import { requestText } from './request-reply.ts';

/** The request of an attempt as it was sent, or its form if the body is not kept. */
export function sentRequest(attempt: DeliveryAttemptDetail): Markup {
  const { wasSent, request, address } = attempt;
  const shown = addressAsSent(address);
  if (request === undefined) {
    return markup`<h3>Request</h3><pre tabindex="0">${requestText(shown)}</pre><p class="muted">${
      wasSent === false
        ? 'Nothing was sent, because no connection was made.'
        : 'Mailhook kept nothing of this request, because of an internal error.'
    }</p>`;
  }
  const { body, headers } = request;
  return markup`<header class="of-code"><h3>Request</h3>${body !== undefined && copyButtons(body)}</header>
<pre tabindex="0" id="sent-headers">${requestText(shown, headers)}</pre>
${body === undefined ? form(attempt) : markup`${json(body, 'sent-body', attempt.id)}${asCurl(shown, headers, body)}`}
<p class="muted">${notes(attempt, request)}</p>`;
}

const copyButton = (source: string, text: Content): Markup =>
  markup`<button type="button" class="button bare" data-copy="${source}" hidden>${icon('copy')}${text}</button>`;

const copyButtons = (body: string): Markup =>
  markup`${jsonLines(body)?.isCut !== true && copyButton('sent-body', markup`Copy${unseen(' the body')}`)}${copyButton('sent-curl', 'Copy as curl')}`;

/** A body as JSON with colors. A long one is cut, with a link to the whole body. */
function json(body: string, id: string, attempt: string): Markup {
  const found = jsonLines(body);
  return markup`<pre tabindex="0" id="${id}" class="json">${found?.lines ?? body}</pre>
${found?.isCut === true && markup`<p class="cut">Cut here. <a href="${bodyPath(attempt)}">The whole body</a> has ${formatCount(Buffer.byteLength(body))} bytes.</p>`}`;
}

const NOT_SHOWN = '(not shown)';

function asCurl(address: string, headers: AttemptRequest['headers'], body: string): Markup {
  const known = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== NOT_SHOWN));
  const isComplete = Object.keys(known).length === Object.keys(headers).length;
  return markup`<details class="example" id="as-curl"><summary>As a curl command</summary>
<pre tabindex="0" id="sent-curl">${curlCommand({ address, headers: known, body })}</pre>
<p class="muted">A server that checks the time of a signature refuses this command five minutes after the attempt.${
    !isComplete && ' The headers whose values are not shown are left out.'
  }${body.length > CURL_BODY_CHARS_MAX && ' Save the whole body as body.json first.'}</p></details>`;
}

const LEFT_OUT = '…';

/** What the log knows of a body that is not kept: the events, with their values left out. */
function form({ kind, types = [], eventKeys = [], events, attempt, status }: DeliveryAttemptDetail): Markup {
  const why =
    status === 'delivered'
      ? 'Mailhook did not keep this body, so most values are left out. With DELIVERED_BODY_RETENTION, whoever runs Mailhook for you can keep the bodies of delivered requests for up to 24 hours.'
      : 'Mailhook does not hold all of its events any more, so most values are left out.';
  if (kind === 'test')
    return markup`<p class="muted">Mailhook keeps no bodies of tests. They have sample events only.</p>`;
  const type = types.length === 1 ? types[0] : LEFT_OUT;
  const known = eventKeys.slice(0, FORM_EVENTS);
  const shape =
    kind === 'campaign'
      ? known.map((hash) => ({ hash, event: type, [LEFT_OUT]: LEFT_OUT, attempt }))
      : { module: 'transactional_email', name: type, messageId: known[0] ?? LEFT_OUT, [LEFT_OUT]: LEFT_OUT };
  const more = kind === 'campaign' && events > known.length;
  return markup`<pre tabindex="0" class="json">${jsonLines(JSON.stringify(shape))?.lines}</pre>
<p class="muted">${why}${more && ` These are ${known.length} of its ${formatCount(events)} events.`}</p>`;
}

const FORM_EVENTS = 20;

const REPEATED =
  ' It was sent twice: your endpoint closed a kept connection before it answered, so Mailhook sent the same request' +
  ' again on a new connection.';

function notes(
  { events }: DeliveryAttemptDetail,
  { body, headers, signatures, bytes, isRepeated }: AttemptRequest,
): string {
  const size = `${plural(events, 'event', 'events')} in ${formatCount(bytes)} bytes.`;
  return `${size} ${signatureNote(signatures, headers, body)}${isRepeated === true ? REPEATED : ''}`;
}

function signatureNote(signatures: number, headers: AttemptRequest['headers'], body: string | undefined): string {
  if (signatures === 0)
    return 'It was not signed, because neither the destination nor the account had a signing secret.';
  const signed = `Signed with ${plural(signatures, 'secret', 'secrets')}, in webhook-signature.`;
  if (headers['webhook-signature'] !== undefined)
    return `${signed} Mailhook keeps no signatures, so it made this one again with the signing secrets in force.`;
  return body === undefined
    ? `${signed} It is not shown, because making it again takes the whole body.`
    : `${signed} It is not shown, because the signing secrets have changed since.`;
}
