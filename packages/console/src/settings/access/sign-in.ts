import { isSettingsPath, PRODUCER_TOKEN_PREFIX } from '@mailhook/core';
import type { Session, SessionBrowser } from '@mailhook/core';
import { withForm } from '@mailhook/platform/http-server';
import type { ProblemError } from '@mailhook/platform/http-server';
import type { Request, RequestHandler, Response } from 'express';
import { PAGE_PATH } from '../../html/elements.ts';
import { isFramed } from '../../html/page-cookie.ts';
import type { PageCookie } from '../../html/page-cookie.ts';
import { sendHtml } from '../../html/send-html.ts';
import { saidProblem } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import type { PageAccess, PageHost } from '../../page-host.ts';
import { signInDocument } from '../document.ts';
import type { SignInOptions } from '../document.ts';
import type { PageLook } from '../shared/page-frame.ts';
import { closedDocument } from './portal-document.ts';
import type { Readers } from './readers.ts';
import { typedToken } from './recent-sign-in.ts';

export interface AccessDeps extends PageHost, PageAccess {
  readonly cookie: PageCookie;
  readonly readers: Readers;
  readonly lookOf: (request: Request) => PageLook;
}

/** Room for a token. */
const SIGN_IN_LIMIT_BYTES = 8 * 1024;

/**
 * In a frame, the user came by a portal link and has no token to type. Elsewhere, the sign-in leads to the page that
 * was asked for.
 */
function askToSignIn({ lookOf }: AccessDeps, response: Response, status: number, options: SignInOptions = {}): void {
  const look = lookOf(response.req);
  const document = isFramed(response.req)
    ? closedDocument(look, options.notice ?? texts.access.signedOut, true)
    : signInDocument(look, {
        next: settingsPath(response.req.originalUrl),
        isFromElsewhere: response.req.method === 'GET' && response.req.get('sec-fetch-site') === 'cross-site',
        ...options,
      });
  sendHtml(response, look.reader, status, document);
}

/** The path with its query, if it is one of the settings. It leads to no other site. */
function settingsPath(text: string): string | undefined {
  if (!isSettingsPath(text)) return undefined;
  const { pathname, search } = new URL(text, 'http://settings.invalid');
  return `${pathname}${search}`;
}

/** `id` is the cookie's value, which no page shows. */
export type SignedIn = Session & { readonly id: string };

/** For the audit log. */
export const whoIs = ({ origin, operator }: Session) => ({
  actor: operator === undefined ? ('customer' as const) : ('operator' as const),
  token: origin,
  person: operator?.person,
});

/**
 * Resolves with the request's session. Without one, answers with the sign-in page and resolves with undefined. Rejects
 * with a 429 beyond the account's limit.
 */
export async function sessionOf(
  deps: AccessDeps,
  request: Request,
  response: Response,
  statusWithout: number,
  asked?: { readonly isPolling: boolean },
): Promise<SignedIn | undefined> {
  const session = await findSession(deps, request, response, statusWithout, asked);
  if (session !== undefined) deps.limits.admit(response, session.account, SETTINGS_PAGE);
  return session;
}

/** What the limits of requests call the sessions of an account. */
const SETTINGS_PAGE = 'settings page';

async function findSession(
  deps: AccessDeps,
  request: Request,
  response: Response,
  statusWithout: number,
  asked?: { readonly isPolling: boolean },
): Promise<SignedIn | undefined> {
  const id = deps.cookie.read(request);
  if (id === undefined) {
    askToSignIn(deps, response, statusWithout);
    return undefined;
  }
  try {
    const session = await deps.sessions.find(id, asked);
    if (session !== undefined) return { ...session, id };
  } catch (error) {
    const { status, detail } = deps.asProblem(error);
    askToSignIn(deps, response, status, { notice: detail === undefined ? texts.access.pageAway : saidProblem(detail) });
    return undefined;
  }
  deps.cookie.clear(response);
  askToSignIn(deps, response, statusWithout, { notice: texts.access.ended });
  return undefined;
}

export const signIn =
  (deps: AccessDeps): RequestHandler =>
  async (request, response) => {
    const reservation = deps.bodies.open('anonymous', deps.clientOf(request));
    let token = '';
    let next: string | undefined;
    try {
      await withForm(request, response, { limitBytes: SIGN_IN_LIMIT_BYTES, reservation }, async (form) => {
        next = settingsPath(form['next'] ?? '');
        token = typedToken(form['token']);
        const { account } = await deps.signIn(token === '' ? undefined : token, request);
        deps.limits.admit(response, account, SETTINGS_PAGE);
        deps.security.note('sign_in', response, { account });
        const session = await deps.sessions.open(token, browserOf(deps, request, response));
        const former = deps.cookie.read(request);
        if (former !== undefined) await deps.sessions.close(former);
        deps.cookie.set(response, session);
        response.redirect(303, next ?? PAGE_PATH);
      });
    } catch (error) {
      const problem = deps.asProblem(error);
      if (problem.code === 'internal_error') throw error;
      deps.security.noteRefusal(problem, response);
      response.set(problem.headers).removeHeader('www-authenticate');
      askToSignIn(deps, response, problem.status, { ...refusalOf(problem, token), next });
    }
  };

/** What the list of sessions shows. */
export const browserOf = (
  deps: Pick<AccessDeps, 'originOf'>,
  request: Request,
  response: Response,
): SessionBrowser => ({
  agent: request.get('user-agent'),
  client: deps.originOf(response).client,
});

function refusalOf({ code, detail }: ProblemError, token: string): SignInOptions {
  if (code !== 'unauthorized') return { notice: detail === undefined ? texts.access.signInAway : saidProblem(detail) };
  return {
    error: token.startsWith(PRODUCER_TOKEN_PREFIX) ? texts.access.producerToken : texts.access.unknownToken,
  };
}

/**
 * Ends the session, or with the field `everywhere` all of its kind, or with `session` another one of them. A session
 * for reading may end itself only. Browsers forget what they keep of a session that has ended itself.
 */
export const signOut =
  (deps: AccessDeps): RequestHandler =>
  async (request, response) => {
    const { sessions, cookie, security } = deps;
    const reservation = deps.bodies.open('anonymous', deps.clientOf(request));
    await withForm(
      request,
      response,
      { limitBytes: SIGN_IN_LIMIT_BYTES, reservation },
      async ({ everywhere, session: listed }) => {
        const id = cookie.read(request);
        if (id !== undefined && listed !== undefined) {
          await endListed(deps, id, listed, response);
          response.redirect(303, `${PAGE_PATH}/developers`);
          return;
        }
        if (id !== undefined) {
          const session = await sessions.find(id).catch(() => undefined);
          const isAll = everywhere !== undefined && session !== undefined && session.access !== 'read';
          await (isAll ? sessions.closeAlike(id) : sessions.close(id));
          security.note('sign_out', response, { account: session?.account });
          if (isAll) {
            await deps.audit.record({
              ...whoIs(session),
              ...deps.originOf(response),
              action: 'end all sessions',
              via: 'settings page',
              account: session.account,
            });
          }
        }
        cookie.clear(response);
        response.set('clear-site-data', '"cache", "storage"').redirect(303, PAGE_PATH);
      },
    );
  };

/** Ends another session that the page lists. */
async function endListed(deps: AccessDeps, id: string, listed: string, response: Response): Promise<void> {
  const session = await deps.sessions.find(id);
  if (session === undefined || session.access === 'read' || !(await deps.sessions.closeListed(id, listed))) return;
  deps.security.note('sign_out', response, { account: session.account });
  const { account } = session;
  const action = 'end a session';
  await deps.audit.record({ ...whoIs(session), ...deps.originOf(response), action, via: 'settings page', account });
}

/** Keeps the language, and leads back to the page with the choice. */
export const chooseLanguage =
  ({ bodies, clientOf, readers }: AccessDeps): RequestHandler =>
  async (request, response) => {
    const reservation = bodies.open('anonymous', clientOf(request));
    const rules = { limitBytes: SIGN_IN_LIMIT_BYTES, reservation };
    await withForm(request, response, rules, (form) => {
      readers.choose(response, form['language']);
      return Promise.resolve();
    });
    const { pathname, search } = new URL(request.get('referer') ?? PAGE_PATH, 'http://settings.invalid');
    response.redirect(303, pathname.startsWith(PAGE_PATH) ? `${pathname}${search}` : PAGE_PATH);
  };
