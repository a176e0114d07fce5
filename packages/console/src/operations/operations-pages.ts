import type { FieldError, SecurityEvent } from '@mailhook/core';
import { addRoute, noStore, withForm } from '@mailhook/platform/http-server';
import type { FormFields, ProblemError } from '@mailhook/platform/http-server';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { Assets } from '../html/assets.ts';
import { assetsPath } from '../html/assets.ts';
import { masked } from '../html/elements.ts';
import { ownMark } from '../html/document.ts';
import { html } from '../html/markup.ts';
import { LiveDocuments } from '../html/live-documents.ts';
import { notFoundPage } from '../page/not-found.ts';
import { pageHeaders } from '../html/page-headers.ts';
import { NOBODY } from '../html/reader.ts';
import { RUNBOOK_PATH } from '../guides/guides.ts';
import { texts } from '../messages/texts.ts';
import type { Outcome } from '../page/outcome.ts';
import { actionsOf, addPages, all, pressButton } from '../page/page.ts';
import type { Presser } from '../page/page.ts';
import type { PageHost } from '../page-host.ts';
import type { OperatorServices } from '@mailhook/core';
import { operationsDocument } from './document.ts';
import type { OperatorPage, Press } from './family.ts';
import { addressOf, NAVIGATION, OVERVIEW_PATH, pageUrl, questionOf } from './navigation.ts';
import type { PageQuestion } from './navigation.ts';
import { faultContent } from './overview/content.ts';
import { accountPage } from './account/page.ts';
import { findForm } from './accounts/content.ts';
import { accountsPage } from './accounts/page.ts';
import { auditPage } from './audit/page.ts';
import { deadLettersPage } from './dead-letters/page.ts';
import { destinationPage } from './destination/page.ts';
import { destinationsPage } from './destinations/page.ts';
import { overviewPage } from './overview/page.ts';
import { queuesPage } from './queues/page.ts';
import { tokensPage } from './tokens/page.ts';
import { workersPage } from './workers/page.ts';
import type { Shown } from './view.ts';

export interface OperationsPagesDeps extends PageHost {
  readonly services: OperatorServices;
  /** Loaded for `OPERATIONS_ASSETS`. */
  readonly assets: Assets;
  /** Notes a change of who may sign in. */
  readonly noteSecurity: (
    event: SecurityEvent,
    response: Response,
    subject: { readonly account?: string | undefined; readonly object?: string | undefined },
  ) => void;
}

interface Deps extends OperationsPagesDeps {
  readonly live: LiveDocuments;
}

export const OPERATIONS_ASSETS = `${OVERVIEW_PATH}/assets`;
const FORM_LIMIT_BYTES = 64 * 1024;

const PAGES: readonly OperatorPage[] = [
  overviewPage,
  accountsPage,
  accountPage,
  destinationsPage,
  destinationPage,
  deadLettersPage,
  tokensPage,
  auditPage,
  workersPage,
  queuesPage,
];
const ACTIONS = actionsOf(PAGES);

/**
 * Adds the pages of operators, which show what is stuck and why, and offer actions. The admin API offers the same.
 * Browsers send a known password with every request, so a form from another site is refused.
 */
export function addOperationsPages(router: Router, basicAuth: RequestHandler, pageDeps: OperationsPagesDeps): void {
  const deps: Deps = { ...pageDeps, live: new LiveDocuments() };
  addRoute(router, assetsPath(OPERATIONS_ASSETS), { get: [deps.assets.serve] });
  addPages(router, PAGES, {
    addressOf,
    before: [pageHeaders({ strictTransportSecurity: false }), noStore, basicAuth],
    refuseForeignSites: deps.refuseForeignSites,
    show: (page) => async (request, response) => {
      const moved = page.moved?.(Object.fromEntries(queryOf(request)));
      if (moved !== undefined) response.redirect(moved);
      else await sendPage(deps, response, page, questionIn(page, request));
    },
    press: (page) => (request, response) => {
      const rules = { limitBytes: FORM_LIMIT_BYTES, reservation: deps.bodies.open('operator') };
      return withForm(request, response, rules, async (form) => {
        const action = ACTIONS.get(form['do'] ?? '');
        const outcome = await pressButton(deps, action, form, presserOf(deps, form, response));
        const { next } = outcome;
        const [shown, question] = next === undefined ? [page, questionIn(page, request)] : pageAt(next.url);
        await sendPage(deps, response, shown, question, outcome);
      });
    },
  });
}

/** The page for unknown addresses of the operations port. */
export const operationsNotFoundPage = ({ urls }: Assets): RequestHandler =>
  notFoundPage({
    urls,
    headers: pageHeaders({ strictTransportSecurity: false }),
    mark: ownMark(urls),
    name: 'Mailhook',
    links: [
      [OVERVIEW_PATH, texts.shell.overview],
      [RUNBOOK_PATH, 'Runbook'],
    ],
    readerOf: () => NOBODY,
  });

const queryOf = ({ originalUrl }: Request): URLSearchParams => new URL(originalUrl, BASE).searchParams;
const BASE = 'http://operations.invalid';

const questionIn = ({ name, asks }: OperatorPage, request: Request): PageQuestion => {
  const { id = '' } = request.params;
  return questionOf(name, String(id), queryOf(request), asks);
};

/** The page at an address of these pages. */
function pageAt(url: string): readonly [OperatorPage, PageQuestion] {
  const { pathname, searchParams } = new URL(url, BASE);
  for (const page of PAGES) {
    const found = new RegExp(`^${addressOf(page.path).replace(/:\w+/, '([^/]+)')}$`).exec(pathname);
    if (found !== null)
      return [page, questionOf(page.name, decodeURIComponent(found[1] ?? ''), searchParams, page.asks)];
  }
  return [overviewPage, questionOf('overview', '', searchParams, [])];
}

/** As operators sign in to these pages, for an admin token without a label. */
const UNNAMED_OPERATOR = 'admin';

function presserOf(deps: OperationsPagesDeps, form: FormFields, response: Response): Presser<Press> {
  const own = deps.originOf(response);
  const caller = {
    calledAt: response.req.socket.localAddress,
    operator: { token: own.token ?? UNNAMED_OPERATOR, person: own.person },
  };
  return {
    press: { services: deps.services, logger: deps.logger, caller },
    record: { ...own, actor: 'operator', via: 'operations page' },
    refusal: ({ status, detail, errors = [] }, place) => ({
      place,
      isGood: false,
      status,
      text: masked(form['destination'] ?? form['account'] ?? form['host'] ?? ''),
      advice:
        place === 'tokens' && errors.length > 0
          ? texts.outcomes.correctFields
          : masked(String(detail ?? 'This did not work. Try again in a minute.')),
      errors: errorsByField(errors),
      draft: form,
    }),
    note: (event, subject) => deps.noteSecurity(event, response, subject),
  };
}

/** A field with a list has the errors of all its elements. */
function errorsByField(errors: readonly FieldError[]): Outcome['errors'] {
  const found = new Map<string, string>();
  for (const { path, message } of errors) {
    const field = path.replace(/\..*/, '');
    const before = found.get(field);
    found.set(field, before === undefined ? message : `${before}; ${message}`);
  }
  return Object.fromEntries([...found].map(([field, text]) => [field, masked(text)]));
}

async function sendPage(
  deps: Deps,
  response: Response,
  page: OperatorPage,
  question: PageQuestion,
  outcome?: Outcome,
): Promise<void> {
  const shown = await read(deps, page, question, outcome);
  if (shown.moved !== undefined) {
    response.redirect(shown.moved);
    return;
  }
  const status = Math.max(outcome?.status ?? 200, shown.status ?? 200);
  const document = operationsDocument(deps.assets.urls, question, shown, outcome);
  // The answer to a button may hold a token.
  if (outcome === undefined) await deps.live.send(response, status, document);
  else response.status(status).set('content-type', 'text/html; charset=utf-8').end(document);
}

/** Shows a 404 for something unknown, and a 503 while Redis or the store cannot be reached. */
async function read(
  deps: OperationsPagesDeps,
  page: OperatorPage,
  question: PageQuestion,
  outcome: Outcome | undefined,
): Promise<Shown> {
  const { services } = deps;
  try {
    return page.show(await all({ question, ...page.load({ services, question }) }), outcome);
  } catch (error) {
    const problem = deps.asProblem(error);
    const title = NAVIGATION.find(([name]) => name === question.page)?.[1] ?? '';
    if (problem.status < 500) {
      const content = html`<p class="notice bad">${String(problem.detail ?? 'This is not possible.')}</p>
        ${findForm(question.id)}`;
      return { title, above: [pageUrl(question.page), title], status: problem.status, content };
    }
    deps.logger.warn('a page of the operators could not be read', { error });
    const fault = faultContent(isOfStore(problem) ? 'store' : 'redis', await services.ownState());
    return { title, status: 503, fault, isLive: true, content: html`` };
  }
}

const isOfStore = ({ detail }: ProblemError): boolean => String(detail).startsWith('The store');
