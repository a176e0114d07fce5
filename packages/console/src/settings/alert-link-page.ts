import type { AlertAddress } from '@mailhook/core';
import { withForm } from '@mailhook/platform/http-server';
import type { Request, RequestHandler, Response } from 'express';
import type { AlertLinks } from '../access.ts';
import { notice } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Content } from '../html/markup.ts';
import type { PageHost } from '../page-host.ts';
import { brandMark, frame } from './page-frame.ts';
import type { PageLook } from './page-frame.ts';

/** The page that mails link to. Its query names an account, and the token of an address. */
export const ALERT_LINK_PATH = '/settings/alerts';

interface AlertLinkDeps extends Pick<PageHost, 'asProblem' | 'audit' | 'bodies' | 'clientOf' | 'originOf'> {
  readonly alertLinks: AlertLinks;
  readonly look: PageLook;
}

const FORM_LIMIT_BYTES = 1024;
const TITLE = 'E-mail alerts';
const UNKNOWN = 'This address gets no alerts. It was removed, or the link is not complete.';

/** Shows what the owner of the address may do. Link checkers fetch a link, so fetching it changes nothing. */
export const showAlertLink =
  (deps: AlertLinkDeps): RequestHandler =>
  async (request, response) => {
    await answer(deps, response, async () => {
      const { account, token } = linkOf(request);
      const found = await deps.alertLinks.find(account, token);
      if (found === undefined) send(deps, response, 404, notice('warn', UNKNOWN));
      else send(deps, response, 200, question(found));
    });
  };

/**
 * Confirms the address, or removes it. Mail programs send the same request without a field `do`, to unsubscribe with
 * one click (RFC 8058), also from another site and without a session. The token in the query proves who asks.
 */
export const changeAlertLink =
  (deps: AlertLinkDeps): RequestHandler =>
  async (request, response) => {
    const reservation = deps.bodies.open('anonymous', deps.clientOf(request));
    await withForm(request, response, { limitBytes: FORM_LIMIT_BYTES, reservation }, (form) =>
      answer(deps, response, async () => {
        const { account, token } = linkOf(request);
        const isConfirmed = form['do'] === 'confirm';
        const { alertLinks } = deps;
        const found = await (isConfirmed ? alertLinks.confirm(account, token) : alertLinks.unsubscribe(account, token));
        // A second click is no failure.
        if (found === undefined) {
          send(deps, response, isConfirmed ? 404 : 200, notice('warn', UNKNOWN));
          return;
        }
        await deps.audit.record({
          actor: 'customer',
          via: 'e-mail link',
          action: isConfirmed ? 'confirm alert address' : 'remove alert address',
          account,
          object: found.id,
          ...deps.originOf(response),
        });
        send(deps, response, 200, isConfirmed ? confirmed(found) : removed(found));
      }),
    );
  };

async function answer(deps: AlertLinkDeps, response: Response, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const problem = deps.asProblem(error);
    if (problem.code === 'internal_error') throw error;
    response.set(problem.headers);
    send(deps, response, problem.status, notice('bad', 'This does not work at the moment. Try again in a minute.'));
  }
}

function linkOf({ query }: Request): { readonly account: string; readonly token: string } {
  const { account, token } = query;
  return { account: typeof account === 'string' ? account : '', token: typeof token === 'string' ? token : '' };
}

const button = (action: string, look: string, text: string): Content =>
  markup`<button class="button ${look}" name="do" value="${action}">${text}</button>`;

const address = ({ email }: AlertAddress): Content => markup`<span class="address">${email}</span>`;

const question = (found: AlertAddress): Content =>
  found.confirmed
    ? markup`<p>${address(found)} gets an e-mail when a webhook fails, works again, or is switched off.</p>
<form method="post">${button('unsubscribe', 'primary', 'Unsubscribe')}</form>`
    : markup`<p>Should ${address(found)} get an e-mail when a webhook fails, works again, or is switched off?</p>
<form method="post" class="actions">${button('confirm', 'primary', 'Yes, send alerts')}${button('decline', 'quiet', 'No')}</form>`;

const confirmed = (found: AlertAddress): Content =>
  markup`<p role="status">Confirmed. ${address(found)} gets alerts from now on. Every alert has a link to unsubscribe.</p>`;

const removed = (found: AlertAddress): Content =>
  markup`<p role="status">Removed. ${address(found)} gets no alerts any more.</p>`;

const send = ({ look }: AlertLinkDeps, response: Response, status: number, content: Content): void =>
  void response
    .status(status)
    .set('content-type', 'text/html; charset=utf-8')
    .end(
      frame(
        look,
        TITLE,
        markup`<body class="sign-in">
<main class="card" id="main">
<p class="brand">${brandMark(look)}</p>
<h1>${TITLE}</h1>
${content}
</main>
</body>`,
        [],
      ),
    );
