import type { AlertAddress, AlertLinks } from '@mailhook/core';
import { withForm } from '@mailhook/platform/http-server';
import type { Request, RequestHandler, Response } from 'express';
import { notice } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { sendHtml } from '../../html/send-html.ts';
import { texts } from '../../messages/texts.ts';
import type { PageHost } from '../../page-host.ts';
import { brandMark, frame } from '../shared/page-frame.ts';
import type { PageLook } from '../shared/page-frame.ts';

/** The page that mails link to. Its query names an account, and the token of an address. */
export const ALERT_LINK_PATH = '/settings/alerts';

interface AlertLinkDeps extends Pick<PageHost, 'asProblem' | 'audit' | 'bodies' | 'clientOf' | 'originOf'> {
  readonly alertLinks: AlertLinks;
  readonly lookOf: (request: Request) => PageLook;
}

const FORM_LIMIT_BYTES = 1024;

interface Answer {
  readonly change: (links: AlertLinks, account: string, token: string) => Promise<AlertAddress | undefined>;
  /** For the audit log. */
  readonly action: string;
  readonly said: (values: { readonly address: Content }) => Content;
}

/** Without a button, and for every other one. */
const UNSUBSCRIBE: Answer = {
  change: (links, account, token) => links.unsubscribe(account, token),
  action: 'remove alert address',
  said: texts.alerts.removed,
};

/** What the buttons of the page do. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  confirm: {
    change: (links, account, token) => links.confirm(account, token),
    action: 'confirm alert address',
    said: texts.alerts.confirmed,
  },
  never: {
    change: (links, account, token) => links.refuseAll(account, token),
    action: 'refuse alerts for an address',
    said: texts.alerts.neverAgain,
  },
};

/** Shows what the owner of the address may do. Link checkers fetch a link, so fetching it changes nothing. */
export const showAlertLink =
  (deps: AlertLinkDeps): RequestHandler =>
  async (request, response) => {
    await answer(deps, response, async () => {
      const { account, token } = linkOf(request);
      const found = await deps.alertLinks.find(account, token);
      if (found === undefined) send(deps, response, 404, notice('warn', texts.alerts.unknown));
      else send(deps, response, 200, question(found, request.query['never'] !== undefined), found);
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
        const answered = ANSWERS[form['do'] ?? ''] ?? UNSUBSCRIBE;
        const found = await answered.change(deps.alertLinks, account, token);
        // A second click is no failure.
        if (found === undefined) {
          send(deps, response, answered === ANSWERS['confirm'] ? 404 : 200, notice('warn', texts.alerts.unknown));
          return;
        }
        await deps.audit.record({
          actor: 'customer',
          via: 'e-mail link',
          action: answered.action,
          account,
          object: found.id,
          ...deps.originOf(response),
        });
        send(deps, response, 200, html`<p role="status">${answered.said({ address: address(found) })}</p>`, found);
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
    send(deps, response, problem.status, notice('bad', texts.alerts.away));
  }
}

function linkOf({ query }: Request): { readonly account: string; readonly token: string } {
  const { account, token } = query;
  return { account: typeof account === 'string' ? account : '', token: typeof token === 'string' ? token : '' };
}

const button = (action: string, look: string, text: Content): Content =>
  html`<button class="button ${look}" name="do" value="${action}">${text}</button>`;

const address = ({ email }: AlertAddress): Content => html`<span class="address">${email}</span>`;

function question(found: AlertAddress, isAboutNever: boolean): Content {
  const { getsAlerts, shouldGet, shouldNever, never, unsubscribe, yes, no } = texts.alerts;
  if (isAboutNever)
    return html`<p>${shouldNever({ address: address(found) })}</p>
      <form method="post">${button('never', 'primary', never)}</form>`;
  return found.confirmed
    ? html`<p>${getsAlerts({ address: address(found) })}</p>
        <form method="post">${button('unsubscribe', 'primary', unsubscribe)}</form>`
    : html`<p>${shouldGet({ address: address(found) })}</p>
        <form method="post">${button('confirm', 'primary', yes)}${button('decline', 'quiet', no)}</form>`;
}

/** In the language of the address, or else of the browser. */
function send(deps: AlertLinkDeps, response: Response, status: number, content: Content, of?: AlertAddress): void {
  const look = deps.lookOf(response.req);
  const reader = { ...look.reader, language: of?.language ?? look.reader.language };
  const document = frame(
    { ...look, reader },
    texts.alerts.title,
    html`<body class="sign-in">
      <main class="card" id="main">
        <p class="brand">${brandMark(look)}</p>
        <h1>${texts.alerts.title}</h1>
        ${content}
      </main>
    </body>`,
    [],
  );
  sendHtml(response, reader, status, document);
}
