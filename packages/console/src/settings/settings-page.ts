import type { Express, Request, RequestHandler, Response } from 'express';
import type { AlertLinks, Language } from '@mailhook/core';
import { addRoute, csvTo, noStore, withForm } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import type { Assets } from '../html/assets.ts';
import { ASSETS_PATH } from '../html/assets.ts';
import type { Brand } from '../html/brand.ts';
import { PAGE_PATH } from '../html/elements.ts';
import { createPageCookie } from '../html/page-cookie.ts';
import { LiveDocuments } from '../html/live-documents.ts';
import { notFoundPage } from '../page/not-found.ts';
import { pageHeaders } from '../html/page-headers.ts';
import type { Reader } from '../html/reader.ts';
import { sendHtml } from '../html/send-html.ts';
import { withOffset } from '../html/zoned-time.ts';
import { texts } from '../messages/texts.ts';
import { refused } from '../page/outcome.ts';
import type { Outcome } from '../page/outcome.ts';
import { actionsOf, addPages, pressButton } from '../page/page.ts';
import type { Presser } from '../page/page.ts';
import type { PageAccess, PageHost } from '../page-host.ts';
import { ALERT_LINK_PATH, changeAlertLink, showAlertLink } from './access/alert-link-page.ts';
import { LANGUAGE_PATH, liveDocument, pageDocument } from './document.ts';
import { askOf, viewOf } from './family.ts';
import type { CustomerPage, FamilyDeps, Press } from './family.ts';
import { loadedIn } from './loaded.ts';
import { outdatedForm } from './shared/made-from.ts';
import { pageOf, pathOf, questionOf, urlOf } from './navigation.ts';
import type { PageQuestion } from './navigation.ts';
import { ofProblem } from './shared/outcomes.ts';
import { changesPage } from './changes/page.ts';
import { alertsPage } from './alerts/page.ts';
import { deadLettersPage } from './dead-letters/page.ts';
import { deliveriesPage } from './deliveries/page.ts';
import { developersPage } from './developers/page.ts';
import { endpointPage } from './endpoint/page.ts';
import { endpointsPage } from './endpoints/page.ts';
import { eventsPage } from './events/page.ts';
import { eventTypesPage } from './event-types/page.ts';
import { brandMark } from './shared/page-frame.ts';
import type { PageLook } from './shared/page-frame.ts';
import { overviewPage } from './overview/page.ts';
import { newEndpointPage } from './new-endpoint/page.ts';
import { secretsPage } from './secrets/page.ts';
import { inUtc } from './shared/period.ts';
import { PORTAL_PATH } from './access/portal-document.ts';
import { openPortal, showPortal } from './access/portal-page.ts';
import { createReaders } from './access/readers.ts';
import type { Readers } from './access/readers.ts';
import { askWhoItIs } from './access/recent-sign-in.ts';
import { chooseLanguage, sessionOf, signIn, signOut, whoIs } from './access/sign-in.ts';
import type { AccessDeps, SignedIn } from './access/sign-in.ts';
import { SharedUpdates } from './shared/shared-updates.ts';
import type { Snippets } from './overview/snippets.ts';

export interface SettingsPageDeps extends PageHost, PageAccess, FamilyDeps {
  readonly assets: Assets;
  /** Examples that verify a signature. */
  readonly snippets: Snippets;
  /** Whether browsers reach the page over https only. */
  readonly isHttps: boolean;
  /** False if the page is on plain http on the user's own machine (docs/decisions/0059). */
  readonly isCookieSecure: boolean;
  /** `PUBLIC_URL`. Undefined: what the browser has asked for. */
  readonly publicUrl: string | undefined;
  /** Of `PUBLIC_URL`. Empty if it has none, or the one of its scheme. */
  readonly port: string;
  readonly brand: Brand;
  readonly alertLinks: AlertLinks;
  /** Origins of other sites that may show the page in a frame. */
  readonly frameAncestors: readonly string[];
  /** For browsers that ask for no language that the page has. */
  readonly language: Language;
}

interface Deps extends SettingsPageDeps, AccessDeps {
  readonly updates: SharedUpdates<UpdatesQuestion>;
  readonly live: LiveDocuments;
}

/** Readers of the same language and time zone share updates. */
interface UpdatesQuestion extends Omit<Reader, 'nowMs' | 'deadlineMs'> {
  readonly page: PageQuestion;
}

/** Room for two addresses of 2048 characters, each escaped to three bytes, and for the other fields. */
const FORM_LIMIT_BYTES = 32 * 1024;
const A_YEAR_S = 365 * 86_400;

/** Reads the language and time zone of a request. */
function readersOf(deps: SettingsPageDeps): Readers {
  const { language, now, deadlineMs } = deps;
  const cookie = createPageCookie({
    ...cookieKind(deps),
    name: 'mailhook_language',
    pattern: /^[a-z]{2}$/,
    lifetimeS: A_YEAR_S,
  });
  return createReaders({ cookie, language, now, deadlineMs });
}

const cookieKind = ({ port, isCookieSecure, frameAncestors }: SettingsPageDeps) => ({
  port,
  isSecure: isCookieSecure,
  isFrameable: frameAncestors.length > 0,
});

const headersOf = ({ isHttps, frameAncestors, brand }: SettingsPageDeps): RequestHandler =>
  pageHeaders({ isSecure: isHttps, frameAncestors, imageUrl: brand.logoUrl });

/** The page for unknown addresses of the public port. */
export function settingsNotFoundPage(deps: SettingsPageDeps): RequestHandler {
  const { assets, brand } = deps;
  const readers = readersOf(deps);
  return notFoundPage({
    urls: assets.urls,
    headers: headersOf(deps),
    mark: brandMark({ urls: assets.urls, brand }),
    name: brand.name,
    links: [
      [PAGE_PATH, texts.access.webhookSettings],
      ['/docs/guides', texts.shell.guides],
      ['/docs', 'API'],
    ],
    readerOf: (request) => readers.of(request),
  });
}

/** Adds the settings page. Customers sign in with an access token, or come by a portal link. */
export function addSettingsPage(app: Express, pageDeps: SettingsPageDeps): void {
  const { assets, brand } = pageDeps;
  const { lifetimeS } = pageDeps.sessions;
  const own = { ...cookieKind(pageDeps), name: 'mailhook_session', pattern: /^[A-Za-z0-9_-]{43}$/, lifetimeS };
  const cookie = createPageCookie(own);
  const readers = readersOf(pageDeps);
  const lookOf = (request: Request): PageLook => ({ urls: assets.urls, brand, reader: readers.of(request) });
  const updates = new SharedUpdates({ build: buildUpdates(pageDeps) });
  const deps: Deps = { ...pageDeps, cookie, readers, lookOf, updates, live: new LiveDocuments() };
  const before = [headersOf(pageDeps), noStore];
  const form = [...before, pageDeps.refuseForeignSites];
  const toPage: RequestHandler = (_request, response) => response.redirect(303, PAGE_PATH);
  addRoute(app, ASSETS_PATH, { get: [deps.assets.serve] });
  addRoute(app, '/settings', { get: [toPage] });
  addPages(app, PAGES, {
    addressOf: (path) => `${PAGE_PATH}${path}`,
    before,
    refuseForeignSites: deps.refuseForeignSites,
    show: show(deps),
    press: press(deps),
    update: update(deps),
  });
  addRoute(app, `${pathOf('dead-letters')}.csv`, { get: [...before, deadLettersCsv(deps)] });
  addRoute(app, `${pathOf('deliveries')}/body`, { get: [...before, attemptBody(deps)] });
  addRoute(app, `${PAGE_PATH}/sign-in`, { get: [toPage], post: [...form, signIn(deps)] });
  addRoute(app, `${PAGE_PATH}/sign-out`, { get: [toPage], post: [...form, signOut(deps)] });
  addRoute(app, LANGUAGE_PATH, { get: [toPage], post: [...form, chooseLanguage(deps)] });
  addRoute(app, ALERT_LINK_PATH, { get: [...before, showAlertLink(deps)], post: [...before, changeAlertLink(deps)] });
  addRoute(app, PORTAL_PATH, { get: [...before, showPortal(deps)], post: [...form, openPortal(deps)] });
}

const PAGES: readonly CustomerPage[] = [
  overviewPage,
  endpointsPage,
  newEndpointPage,
  endpointPage,
  deliveriesPage,
  deadLettersPage,
  eventsPage,
  eventTypesPage,
  alertsPage,
  secretsPage,
  changesPage,
  developersPage,
];
const ACTIONS = actionsOf(PAGES);

/** What a request asks of a page. */
function questionIn({ readers }: Deps, { name, asks }: CustomerPage, request: Request): PageQuestion {
  const { endpoint = '' } = request.params;
  const fields = fieldsOf(request);
  const asked = Object.fromEntries([...asks, 'tab', 'range'].map((field) => [field, fields[field] ?? '']));
  return inUtc(questionOf(name, String(endpoint), asked), readers.of(request).timeZone);
}

const pageFor = ({ page, endpoint }: PageQuestion): CustomerPage =>
  endpoint === '' ? (PAGES.find(({ name }) => name === page) ?? overviewPage) : endpointPage;

/** A query's fields, each by its last value. */
const fieldsOf = ({ query }: Request): FormFields =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]: [string, unknown]) => [
      name,
      String(Array.isArray(value) ? value.at(-1) : value),
    ]),
  );

const show =
  (deps: Deps) =>
  (page: CustomerPage): RequestHandler =>
  async (request, response) => {
    const session = await sessionOf(deps, request, response, 200);
    if (session === undefined) return;
    const fields = fieldsOf(request);
    const moved = page.moved?.(fields);
    if (moved !== undefined) {
      response.redirect(302, moved);
      return;
    }
    const question = questionIn(deps, page, request);
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
  const { snippets, sessions, limits, nameOf } = deps;
  const { account, id } = session;
  const look = deps.lookOf(response.req);
  const { status, document } = await limits.inLine(account, async () => {
    const page = pageFor(question);
    const live = askOf(deps, account, { question, timeZone: look.reader.timeZone, isUpdate: false });
    // Empty while Redis is down, so that the rest of the page still appears.
    const listSessions = () => sessions.listAlike(id).catch(() => []);
    const asked = { session, typed: outcome?.draft, listSessions, snippets, baseUrl: baseUrlOf(deps, response.req) };
    const parts = page.load({ ...live, ...asked });
    const [view, accountName] = await Promise.all([
      viewOf(live, parts),
      live.read(async () => (await nameOf(account)) ?? account),
    ]);
    const shown = page.show(view, outcome);
    const found = shown.status ?? 200;
    const files = { look, session, accountName };
    return {
      status: found === 200 ? (outcome?.status ?? 200) : found,
      document: pageDocument(files, shown, view, outcome),
    };
  });
  sendHtml(response, look.reader, status, document);
}

const baseUrlOf = ({ publicUrl }: Deps, { protocol, headers }: Request): string =>
  new URL('/v3', publicUrl ?? `${protocol}://${headers.host ?? 'localhost'}`).href;

/** Runs the action of a pressed button, and shows the page with the outcome. */
const press =
  (deps: Deps) =>
  (page: CustomerPage): RequestHandler =>
  async (request, response) => {
    const session = await sessionOf(deps, request, response, 401);
    if (session === undefined) return;
    const { account } = session;
    const rules = { limitBytes: FORM_LIMIT_BYTES, reservation: deps.bodies.open('account', account) };
    await withForm(request, response, rules, async (form) => {
      const action = ACTIONS.get(form['do'] ?? '');
      const outcome = await pressButton(deps, action, form, presserOf(deps, session, form, response));
      deps.updates.forget(account);
      if (outcome.next?.isRedirect === true) response.redirect(303, outcome.next.url);
      else await sendPage(deps, session, response, pageAfter(questionIn(deps, page, request), outcome, form), outcome);
    });
  };

const presserOf = (deps: Deps, session: SignedIn, form: FormFields, response: Response): Presser<Press> => ({
  press: { api: deps.api, account: session.account, token: session.token, logger: deps.logger },
  record: { ...whoIs(session), ...deps.originOf(response), via: 'settings page', account: session.account },
  admit: async (action) => {
    if (action.isForReaders === true) return undefined;
    if (session.access === 'read') return refused(403, texts.outcomes.readOnly, { draft: form });
    return action.isLasting === true ? askWhoItIs(deps, session, form, response) : undefined;
  },
  refusal: (problem, place) => {
    if (problem.code === 'precondition_failed') return outdatedForm(place, form);
    // A deleted endpoint has no place on the page any more.
    const isGone = problem.code === 'not_found' && place.startsWith('endpoint-');
    return ofProblem(isGone ? 'endpoints' : place, problem, form);
  },
  note: (event, subject) => deps.security.note(event, response, subject),
});

/**
 * The page that shows an outcome: the one with the pressed button. A form that was sent to the entry has its own page,
 * and so has the list after an endpoint is gone, and a new endpoint. A question on another tab has its form among the
 * settings.
 */
function pageAfter(question: PageQuestion, { place, isOutdated, search }: Outcome, form: FormFields): PageQuestion {
  const event = search ?? form['search'];
  if (event !== undefined) return { ...pageOf('events'), event, entry: form['entry'] ?? '', isTyped: true };
  if (isOutdated === true && question.endpoint !== '') return pageOf('endpoints', question.endpoint, 'settings');
  if (place === 'endpoints') return pageOf('endpoints');
  const own = place.startsWith('endpoint-') ? place.slice('endpoint-'.length) : '';
  if (own !== '' && form['do']?.startsWith('create-subscription') === true) return pageOf('endpoints', own);
  if (question.page !== 'overview' || form['stay'] !== undefined) return question;
  if (place === 'tokens') return pageOf('developers');
  if (place === 'dead-letters' || place === 'secrets' || place === 'alerts' || place === 'new-endpoint')
    return pageOf(place);
  const tab = /^(?:test|check)-/.test(form['do'] ?? '') ? 'testing' : 'settings';
  if (place === 'campaign') return pageOf('endpoints', place, tab);
  if (own !== '') return pageOf('endpoints', own, tab);
  return place === 'page' ? question : pageOf('endpoints', form['destination'] ?? '', tab);
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

/** The page asks for its updates every few seconds. */
const update =
  (deps: Deps) =>
  (page: CustomerPage): RequestHandler =>
  async (request, response) => {
    const session = await sessionOf(deps, request, response, 401, { isPolling: true });
    if (session === undefined) return;
    const { language, timeZone } = deps.readers.of(request);
    const question = { ...questionIn(deps, page, request), event: '' };
    const updates = await deps.updates.of(session.account, { page: question, language, timeZone });
    response.vary('Cookie, Accept-Language').set('content-language', language);
    await deps.live.send(response, updates.status, updates.document);
  };

/** The status is that of the first part that could not be read. */
const buildUpdates =
  (deps: FamilyDeps & Pick<PageAccess, 'limits'>) =>
  (account: string, { page: question, ...reader }: UpdatesQuestion) =>
    deps.limits.inLine(account, async () => {
      const page = pageFor(question);
      const ask = askOf(deps, account, { question, timeZone: reader.timeZone, isUpdate: true });
      const view = await viewOf(ask, page.loadLive(ask));
      const faults = loadedIn(view).flatMap((part) => ('fault' in part ? [part.status] : []));
      const document = liveDocument(view, page.update(view), {
        ...reader,
        nowMs: view.nowMs,
        deadlineMs: deps.deadlineMs,
      });
      return { status: faults.find((status) => status !== 200) ?? 200, document };
    });
