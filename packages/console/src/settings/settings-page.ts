import type { Express, Request, RequestHandler, Response } from 'express';
import { isSettingsPath, PRODUCER_TOKEN_PREFIX } from '@mailhook/core';
import type { Language, AlertLinks, ListedSession, Session } from '@mailhook/core';
import { addRoute, csvTo, noStore, withForm } from '@mailhook/platform/http-server';
import type { FormFields, ProblemError } from '@mailhook/platform/http-server';
import { act } from './actions.ts';
import type { ActionDeps } from './action.ts';
import { ALERT_LINK_PATH, changeAlertLink, showAlertLink } from './alert-link-page.ts';
import { auditButton } from '../audit.ts';
import type { Assets } from '../html/assets.ts';
import type { Brand } from '../html/brand.ts';
import { ASSETS_PATH } from '../html/assets.ts';
import { LANGUAGE_PATH, liveDocument, pageDocument, signInDocument } from './document.ts';
import { isUnknownEndpoint } from './endpoint-page.ts';
import type { SignInOptions } from './document.ts';
import { PAGE_PATH } from '../html/elements.ts';
import { createPageCookie, isFramed } from '../html/page-cookie.ts';
import type { PageCookie } from '../html/page-cookie.ts';
import type { Reader } from '../html/reader.ts';
import { sendHtml } from '../html/send-html.ts';
import { withOffset } from '../html/zoned-time.ts';
import { saidProblem } from '../messages/coded.ts';
import { texts } from '../messages/texts.ts';
import { pageHeaders } from '../html/page-headers.ts';
import { FIND_EVENT } from './event-section.ts';
import type { PageAccess, PageHost } from '../page-host.ts';
import type { PageLook } from './page-frame.ts';
import { closedDocument, PORTAL_PATH } from './portal-document.ts';
import { openPortal, showPortal } from './portal-page.ts';
import { askWhoItIs, typedToken } from './recent-sign-in.ts';
import { createReaders } from './readers.ts';
import type { Readers } from './readers.ts';
import type { Snippets } from './snippets.ts';
import { SharedUpdates } from './shared-updates.ts';
import type { Outcome } from './outcome.ts';
import { inUtc } from './period.ts';
import type { LiveView, ViewDeps } from './view.ts';
import { elsewhere, isPersonal, NAVIGATION, pageOf, pathOf, questionOf, urlOf } from './pages.ts';
import type { PageName, PageQuestion } from './pages.ts';
import { loadNews, loadView } from './view.ts';

export interface SettingsPageDeps extends PageHost, PageAccess, ViewDeps, ActionDeps {
  readonly assets: Assets;
  /** Examples that verify a signature. */
  readonly snippets: Snippets;
  /** Whether browsers reach the page over https only. */
  readonly isHttps: boolean;
  /** False if the page is on plain http on the user's own machine (docs/decisions/0059). */
  readonly isCookieSecure: boolean;
  /** Of `PUBLIC_URL`. Empty if it has none, or the one of its scheme. */
  readonly port: string;
  readonly brand: Brand;
  /** Undefined if the installation sends no e-mails. */
  readonly alertLinks: AlertLinks | undefined;
  /** Origins of other sites that may show the page in a frame. */
  readonly frameAncestors: readonly string[];
  /** For browsers that ask for no language that the page has. */
  readonly language: Language;
}

type Deps = SettingsPageDeps & {
  readonly cookie: PageCookie;
  readonly readers: Readers;
  readonly lookOf: (request: Request) => PageLook;
  readonly updates: SharedUpdates<UpdatesQuestion>;
};

/** Readers of the same language and time zone share updates. */
interface UpdatesQuestion extends Omit<Reader, 'nowMs'> {
  readonly page: PageQuestion;
}

/** Room for two addresses of 2048 characters, each escaped to three bytes, and for the other fields. */
const FORM_LIMIT_BYTES = 32 * 1024;
const A_YEAR_S = 365 * 86_400;
/** Room for a token. */
const SIGN_IN_LIMIT_BYTES = 8 * 1024;

/** Adds the settings page. Customers sign in with an access token, or come by a portal link. */
export function addSettingsPage(app: Express, pageDeps: SettingsPageDeps): void {
  const { assets, brand, frameAncestors, port } = pageDeps;
  const kind = { port, isSecure: pageDeps.isCookieSecure, isFrameable: frameAncestors.length > 0 };
  const { lifetimeS } = pageDeps.sessions;
  const cookie = createPageCookie({ ...kind, name: 'mailhook_session', pattern: /^[A-Za-z0-9_-]{43}$/, lifetimeS });
  const readers = createReaders({
    cookie: createPageCookie({ ...kind, name: 'mailhook_language', pattern: /^[a-z]{2}$/, lifetimeS: A_YEAR_S }),
    language: pageDeps.language,
    now: pageDeps.now,
  });
  const lookOf = (request: Request): PageLook => ({ urls: assets.urls, brand, reader: readers.of(request) });
  const updates = new SharedUpdates({ build: buildUpdates(pageDeps) });
  const deps: Deps = { ...pageDeps, cookie, readers, lookOf, updates };
  const before = [pageHeaders({ isSecure: pageDeps.isHttps, frameAncestors, imageUrl: brand.logoUrl }), noStore];
  const form = [...before, pageDeps.refuseForeignSites];
  const toPage: RequestHandler = (_request, response) => response.redirect(303, PAGE_PATH);
  addRoute(app, ASSETS_PATH, { get: [deps.assets.serve] });
  addRoute(app, '/settings', { get: [toPage] });
  for (const [name] of NAVIGATION) addPage(app, deps, name, before, form);
  addRoute(app, `${pathOf('dead-letters')}.csv`, { get: [...before, deadLettersCsv(deps)] });
  addRoute(app, `${pathOf('deliveries')}/body`, { get: [...before, attemptBody(deps)] });
  addRoute(app, `${PAGE_PATH}/sign-in`, { get: [toPage], post: [...form, signIn(deps)] });
  addRoute(app, `${PAGE_PATH}/sign-out`, { get: [toPage], post: [...form, signOut(deps)] });
  addRoute(app, LANGUAGE_PATH, { get: [toPage], post: [...form, chooseLanguage(deps)] });
  if (deps.alertLinks !== undefined) {
    const link = { ...deps, alertLinks: deps.alertLinks };
    addRoute(app, ALERT_LINK_PATH, { get: [...before, showAlertLink(link)], post: [...before, changeAlertLink(link)] });
  }
  addRoute(app, PORTAL_PATH, { get: [...before, showPortal(deps)], post: [...form, openPortal(deps)] });
}

/** Adds a page, its updates, and for endpoints those of each one. */
function addPage(app: Express, deps: Deps, page: PageName, before: RequestHandler[], form: RequestHandler[]): void {
  const paths = page === 'endpoints' ? [pathOf(page), `${pathOf(page)}/:endpoint`] : [pathOf(page)];
  for (const path of paths) {
    const read: Read = (request) => {
      const { endpoint = '' } = request.params;
      return inUtc(questionOf(page, String(endpoint), fieldsOf(request)), deps.readers.of(request).timeZone);
    };
    addRoute(app, path, { get: [...before, show(deps, read)], post: [...form, run(deps, read)] });
    addRoute(app, `${path}/news`, { get: [...before, news(deps, read)] });
  }
}

type Read = (request: Request) => PageQuestion;

/**
 * In a frame, the user came by a portal link and has no token to type. Elsewhere, the sign-in leads to the page that
 * was asked for.
 */
function askToSignIn({ lookOf }: Deps, response: Response, status: number, options: SignInOptions = {}): void {
  const look = lookOf(response.req);
  const document = isFramed(response.req)
    ? closedDocument(look, options.notice ?? texts.access.signedOut)
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

/** A query's fields, each by its last value. */
const fieldsOf = ({ query }: Request): FormFields =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]: [string, unknown]) => [
      name,
      String(Array.isArray(value) ? value.at(-1) : value),
    ]),
  );

/** `id` is the cookie's value, which no page shows. */
type SignedIn = Session & { readonly id: string };

/** For the audit log. */
const signedInAs = ({ origin, operator }: Session) => ({ token: origin, person: operator?.person });

/** Empty while Redis is down, so that the rest of the page still appears. */
const listOf = ({ sessions }: Deps, { id }: SignedIn): Promise<ListedSession[]> =>
  sessions.listAlike(id).catch(() => []);

/**
 * Resolves with the request's session. Without one, answers with the sign-in page and resolves with undefined. Rejects
 * with a 429 beyond the account's limit.
 */
async function sessionOf(
  deps: Deps,
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
  deps: Deps,
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

const show =
  (deps: Deps, read: Read): RequestHandler =>
  async (request, response) => {
    const session = await sessionOf(deps, request, response, 200);
    if (session === undefined) return;
    const question = read(request);
    const fields = fieldsOf(request);
    const other = question.page === 'overview' ? elsewhere(fields) : undefined;
    if (other !== undefined) {
      response.redirect(302, other);
      return;
    }
    // A form asks with local times. An address that is kept or shared must mean the same in every zone.
    const isLocal = (['from', 'to'] as const).some((name) => question[name] !== (fields[name] ?? '').trim());
    if (isLocal) {
      response.redirect(303, urlOf(question));
      return;
    }
    deps.updates.forget(session.account);
    await sendPage(deps, session, response, question);
  };

async function sendPage(
  deps: Deps,
  session: SignedIn,
  response: Response,
  question: PageQuestion,
  outcome?: Outcome,
): Promise<void> {
  const look = deps.lookOf(response.req);
  const { status, document } = await deps.limits.inLine(session.account, async () => {
    const [view, sessions] = await Promise.all([
      loadView(deps, session.account, question),
      question.page === 'developers' ? listOf(deps, session) : [],
    ]);
    const files = { look, session, sessions, snippets: deps.snippets };
    const found = isUnknownEndpoint(view) ? 404 : (outcome?.status ?? 200);
    return { status: found, document: pageDocument(files, view, outcome) };
  });
  sendHtml(response, look.reader, status, document);
}

/** Runs the action of a pressed button, and shows the page with the outcome. */
const run =
  (deps: Deps, read: Read): RequestHandler =>
  async (request, response) => {
    const session = await sessionOf(deps, request, response, 401);
    if (session === undefined) return;
    const { account } = session;
    const rules = { limitBytes: FORM_LIMIT_BYTES, reservation: deps.bodies.open('account', account) };
    await withForm(request, response, rules, async (form) => {
      if (form['do'] === FIND_EVENT) {
        await find(deps, session, response, form['event'] ?? '');
        return;
      }
      const by = { ...signedInAs(session), ...deps.originOf(response) };
      const outcome = (await askWhoItIs(deps, session, form, response)) ?? (await act(deps, session, form, by));
      deps.updates.forget(account);
      await sendPage(deps, session, response, pageAfter(read(request), outcome, form), outcome);
    });
  };

/**
 * The page that shows an outcome: the one with the pressed button. A form that was sent to the entry has its own page,
 * and so has the list after an endpoint is gone. A question on another tab has its form among the settings.
 */
function pageAfter(question: PageQuestion, { place, isOutdated }: Outcome, form: FormFields): PageQuestion {
  if (isOutdated === true && question.endpoint !== '') return pageOf('endpoints', question.endpoint, 'settings');
  if (place === 'subscriptions') return pageOf('endpoints');
  if (question.page !== 'overview' || form['stay'] !== undefined) return question;
  if (place === 'dead-letters' || place === 'secrets') return pageOf(place);
  if (place === 'new-subscription') return pageOf('endpoints');
  const tab = /^(?:test|check)-/.test(form['do'] ?? '') ? 'testing' : 'settings';
  if (place === 'campaign') return pageOf('endpoints', place, tab);
  if (place.startsWith('subscription-')) return pageOf('endpoints', place.slice('subscription-'.length), tab);
  return place === 'page' ? question : pageOf('endpoints', form['destination'] ?? '', tab);
}

/** Shows what was found. Only what identifies no person gets into the URL, where it can be bookmarked and shared. */
async function find(deps: Deps, session: SignedIn, response: Response, text: string): Promise<void> {
  const question = { ...pageOf('events'), event: text.trim() };
  if (isPersonal(question.event)) await sendPage(deps, session, response, question);
  else response.redirect(303, urlOf(question));
}

const deadLettersCsv =
  (deps: Deps): RequestHandler =>
  async (request, response) => {
    const session = await sessionOf(deps, request, response, 401);
    if (session === undefined) return;
    const { timeZone } = deps.readers.of(request);
    await deps.api.deadLetters.sendCsv(session.account, csvTo(response, 'dead-letters.csv'), (iso) =>
      withOffset(iso, timeZone),
    );
  };

/** The body of a request, as it was sent. */
const attemptBody =
  (deps: Deps): RequestHandler =>
  async (request, response) => {
    const session = await sessionOf(deps, request, response, 401);
    if (session === undefined) return;
    const { attempt = '' } = fieldsOf(request);
    const { request: sent } = await deps.limits.inLine(session.account, () =>
      deps.api.readAttempt(session.account, attempt),
    );
    if (sent?.body === undefined) response.redirect(303, urlOf({ ...pageOf('deliveries'), attempt }));
    else response.set('content-type', 'application/json; charset=utf-8').end(sent.body);
  };

/** The page asks for its updates every few seconds. Mostly nothing has changed, and the answer is a 304. */
const news =
  (deps: Deps, read: Read): RequestHandler =>
  async (request, response) => {
    const session = await sessionOf(deps, request, response, 401, { isPolling: true });
    if (session === undefined) return;
    const reader = deps.readers.of(request);
    const { language, timeZone } = reader;
    const page = { ...read(request), event: '' };
    const { tag, status, document } = await deps.updates.of(session.account, { page, language, timeZone });
    response.set('etag', tag);
    if (request.get('if-none-match') === tag) response.status(304).end();
    else sendHtml(response, reader, status, document);
  };

/** That of the first list that could not be read. */
function statusOf({ campaign, subscriptions, statuses, history, deliveries, deadLetters, groups }: LiveView): number {
  const read = [campaign, subscriptions, statuses, history, deliveries, deadLetters, groups];
  return read.map((one) => ('fault' in one ? one.status : 200)).find((status) => status !== 200) ?? 200;
}

const buildUpdates =
  (deps: ViewDeps & Pick<PageAccess, 'limits'>) =>
  (account: string, { page, ...reader }: UpdatesQuestion) =>
    deps.limits.inLine(account, async () => {
      const view = await loadNews(deps, account, page);
      return { status: statusOf(view), document: liveDocument(view, { ...reader, nowMs: view.nowMs }) };
    });

const signIn =
  (deps: Deps): RequestHandler =>
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
        const session = await deps.sessions.open(token);
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

function refusalOf({ code, detail }: ProblemError, token: string): SignInOptions {
  if (code !== 'unauthorized') return { notice: detail === undefined ? texts.access.signInAway : saidProblem(detail) };
  return {
    error: token.startsWith(PRODUCER_TOKEN_PREFIX) ? texts.access.producerToken : texts.access.unknownToken,
  };
}

/**
 * Ends the session, or with the field `everywhere` all of its kind, which a session for reading may not do. Browsers
 * then forget what they keep of the page.
 */
const signOut =
  (deps: Deps): RequestHandler =>
  async (request, response) => {
    const { sessions, cookie, security } = deps;
    const reservation = deps.bodies.open('anonymous', deps.clientOf(request));
    await withForm(request, response, { limitBytes: SIGN_IN_LIMIT_BYTES, reservation }, async ({ everywhere }) => {
      const id = cookie.read(request);
      if (id !== undefined) {
        const session = await sessions.find(id).catch(() => undefined);
        const isAll = everywhere !== undefined && session !== undefined && session.access !== 'read';
        await (isAll ? sessions.closeAlike(id) : sessions.close(id));
        security.note('sign_out', response, { account: session?.account });
        if (isAll) {
          const actor = session.operator !== undefined ? 'operator' : 'customer';
          const by = { ...signedInAs(session), ...deps.originOf(response) };
          const pressed = { actor, via: 'settings page', account: session.account, ...by } as const;
          await auditButton(deps.audit, 'sign-out-everywhere', pressed);
        }
      }
      cookie.clear(response);
      response.set('clear-site-data', '"cache", "storage"').redirect(303, PAGE_PATH);
    });
  };

/** Keeps the language, and leads back to the page with the choice. */
const chooseLanguage =
  ({ bodies, clientOf, readers }: Deps): RequestHandler =>
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
