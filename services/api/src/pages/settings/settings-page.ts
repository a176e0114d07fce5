import { createHash } from 'node:crypto';
import type { Express, Request, RequestHandler, Response } from 'express';
import { addRoute, asProblem, noStore, withForm } from '@mailhook/platform/http-server';
import type { BodyBudget, FormFields, ProblemError } from '@mailhook/platform/http-server';
import { translateError } from '../../http/errors.ts';
import type { Authenticate } from '../../auth/authenticate.ts';
import { act } from './actions.ts';
import type { ActionDeps } from './actions.ts';
import { SAVE_SETTINGS } from './login-section.ts';
import type { Assets } from '../html/assets.ts';
import { ASSETS_PATH } from '../html/assets.ts';
import { liveDocument, pageDocument, signInDocument } from './document.ts';
import type { SignInOptions } from './document.ts';
import { PAGE_PATH } from '../html/elements.ts';
import { pageHeaders } from '../html/page-headers.ts';
import { createSameSiteCheck } from '../../auth/same-site.ts';
import { createSessionCookie } from './session-cookie.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';
import type { Snippet } from './snippets.ts';
import type { ViewDeps } from './view.ts';
import { loadNews, loadView, questionOf } from './view.ts';

export interface SettingsPageDeps extends ViewDeps, ActionDeps {
  readonly sessions: Sessions;
  readonly signIn: Authenticate['signIn'];
  readonly bodies: BodyBudget;
  readonly assets: Assets;
  /** Examples that verify a signature. */
  readonly snippets: readonly Snippet[];
  /** `PUBLIC_URL`. */
  readonly publicUrl: string | undefined;
}

type Deps = SettingsPageDeps & { readonly cookie: SessionCookie };

/** Room for an address of 2048 characters, each escaped to three bytes, and for the other fields. */
const FORM_LIMIT_BYTES = 16 * 1024;
/** Room for a token. */
const SIGN_IN_LIMIT_BYTES = 8 * 1024;

/** Adds the settings page. Customers sign in with an access token. */
export function addSettingsPage(app: Express, pageDeps: SettingsPageDeps): void {
  const isSecure = pageDeps.publicUrl?.startsWith('https:') === true;
  const deps: Deps = { ...pageDeps, cookie: createSessionCookie(isSecure) };
  const before = [pageHeaders({ isSecure }), noStore];
  const form = [...before, createSameSiteCheck(deps.publicUrl)];
  const toPage: RequestHandler = (_request, response) => response.redirect(303, PAGE_PATH);
  addRoute(app, ASSETS_PATH, { get: [deps.assets.serve] });
  addRoute(app, '/settings', { get: [toPage] });
  addRoute(app, PAGE_PATH, { get: [...before, show(deps)], post: [...form, run(deps)] });
  addRoute(app, `${PAGE_PATH}/news`, { get: [...before, news(deps)] });
  addRoute(app, `${PAGE_PATH}/dead-letters.csv`, { get: [...before, deadLettersCsv(deps)] });
  addRoute(app, `${PAGE_PATH}/sign-in`, { get: [toPage], post: [...form, signIn(deps)] });
  addRoute(app, `${PAGE_PATH}/sign-out`, { get: [toPage], post: [...form, signOut(deps)] });
}

const sendHtml = (response: Response, status: number, document: string): void =>
  void response.status(status).set('content-type', 'text/html; charset=utf-8').end(document);

const askToSignIn = ({ assets }: Deps, response: Response, status: number, options: SignInOptions = {}): void =>
  sendHtml(response, status, signInDocument(assets.urls, options));

/** A query's fields, each by its last value. */
const fieldsOf = ({ query }: Request): FormFields =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]: [string, unknown]) => [
      name,
      String(Array.isArray(value) ? value.at(-1) : value),
    ]),
  );

/** Resolves with the account of the request's session. Without a session, answers with the sign-in page and resolves with undefined. */
async function accountOf(
  deps: Deps,
  request: Request,
  response: Response,
  statusWithout: number,
): Promise<string | undefined> {
  const session = deps.cookie.read(request);
  if (session === undefined) {
    askToSignIn(deps, response, statusWithout);
    return undefined;
  }
  try {
    const account = await deps.sessions.accountOf(session);
    if (account !== undefined) return account;
  } catch (error) {
    const { status, detail } = asProblem(error, translateError);
    askToSignIn(deps, response, status, { notice: detail ?? 'This page does not work at the moment.' });
    return undefined;
  }
  deps.cookie.clear(response);
  askToSignIn(deps, response, statusWithout, {
    notice: 'Your session has ended. It expired, or its token was revoked. Sign in again.',
  });
  return undefined;
}

const show =
  (deps: Deps): RequestHandler =>
  async (request, response) => {
    const account = await accountOf(deps, request, response, 200);
    if (account === undefined) return;
    const view = await loadView(deps, account, questionOf(fieldsOf(request)));
    sendHtml(response, 200, pageDocument(deps, view, undefined));
  };

/** Runs the action of a pressed button, and shows the page with the outcome. */
const run =
  (deps: Deps): RequestHandler =>
  async (request, response) => {
    const account = await accountOf(deps, request, response, 401);
    if (account === undefined) return;
    const rules = { limitBytes: FORM_LIMIT_BYTES, reservation: deps.bodies.open('account', account) };
    await withForm(request, response, rules, async (form) => {
      const outcome = await act(deps, account, form);
      // Without script, a form does not send the query of the page.
      const login = form['do'] === SAVE_SETTINGS ? { login: form['destination'] ?? '' } : {};
      const view = await loadView(deps, account, { ...questionOf(fieldsOf(request)), ...login });
      sendHtml(response, outcome.status, pageDocument(deps, view, outcome));
    });
  };

const deadLettersCsv =
  (deps: Deps): RequestHandler =>
  async (request, response) => {
    const account = await accountOf(deps, request, response, 401);
    if (account !== undefined) await deps.api.deadLetters.sendCsv(account, response);
  };

/** The page asks for its updates every few seconds. Mostly nothing has changed, and the answer is a 304. */
const news =
  (deps: Deps): RequestHandler =>
  async (request, response) => {
    const account = await accountOf(deps, request, response, 401);
    if (account === undefined) return;
    const view = await loadNews(deps, account, {
      ...questionOf(fieldsOf(request)),
      ...{ event: '', attempt: '', letter: '', login: '' },
    });
    const document = liveDocument(view);
    const tag = `"${createHash('sha256').update(document).digest('base64url')}"`;
    response.set('etag', tag);
    if (request.get('if-none-match') === tag) response.status(304).end();
    else sendHtml(response, 'fault' in view.deliveries ? view.deliveries.status : 200, document);
  };

const signIn =
  (deps: Deps): RequestHandler =>
  async (request, response) => {
    const reservation = deps.bodies.open('anonymous', request.ip);
    try {
      await withForm(request, response, { limitBytes: SIGN_IN_LIMIT_BYTES, reservation }, async (form) => {
        const session = await openSession(deps, form, request);
        const former = deps.cookie.read(request);
        if (former !== undefined) await deps.sessions.close(former);
        deps.cookie.set(response, session);
        response.redirect(303, PAGE_PATH);
      });
    } catch (error) {
      const problem = asProblem(error, translateError);
      if (problem.code === 'internal_error') throw error;
      response.set(problem.headers).removeHeader('www-authenticate');
      askToSignIn(deps, response, problem.status, refusalOf(problem));
    }
  };

async function openSession(deps: Deps, form: FormFields, request: Request): Promise<string> {
  // A token that was copied from an example of the API may begin with `Bearer`.
  const token = (form['token'] ?? '').trim().replace(/^bearer +/i, '');
  // The length is limited, because the token will be hashed.
  await deps.signIn(token === '' || token.length > 1000 ? undefined : token, request);
  return deps.sessions.open(token);
}

function refusalOf({ code, detail }: ProblemError): SignInOptions {
  if (code === 'unauthorized') {
    return {
      error: 'This token is not known. Check that it was copied whole and was not revoked, or ask for a new one.',
    };
  }
  return { notice: detail ?? 'Signing in does not work at the moment. Try again in a minute.' };
}

const signOut =
  ({ sessions, cookie }: Deps): RequestHandler =>
  async (request, response) => {
    cookie.clear(response);
    const session = cookie.read(request);
    if (session !== undefined) await sessions.close(session);
    response.redirect(303, PAGE_PATH);
  };
