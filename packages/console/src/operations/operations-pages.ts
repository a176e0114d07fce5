import type { OperatorServices } from '@mailhook/core';
import type { RequestHandler, Response, Router } from 'express';
import { addRoute, noStore, ProblemError, withForm } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { auditButton } from '../audit.ts';
import type { Assets } from '../html/assets.ts';
import { assetsPath } from '../html/assets.ts';
import { html } from '../html/markup.ts';
import { pageHeaders } from '../html/page-headers.ts';
import type { PageHost } from '../page-host.ts';
import type { Button } from './buttons.ts';
import { BUTTONS } from './buttons.ts';
import { operationsDocument } from './document.ts';
import type { Said } from './document.ts';
import type { Notices } from './notices.ts';
import { faultContent } from './overview-content.ts';
import { elsewhere, NAVIGATION, OVERVIEW_PATH, PAGE_PATHS, questionOf, urlOf } from './pages.ts';
import type { PageQuestion } from './pages.ts';
import { readPage } from './read-page.ts';
import type { Notice, Shown } from './view.ts';

export interface OperationsPagesDeps extends PageHost {
  readonly services: OperatorServices;
  readonly notices: Notices;
  /** Loaded for `OPERATIONS_ASSETS`. */
  readonly assets: Assets;
  /** Notes a change of who may sign in. */
  readonly noteSecurity: (
    event: NonNullable<Button['security']>,
    response: Response,
    subject: { readonly account?: string | undefined; readonly object?: string | undefined },
  ) => void;
}

export const OPERATIONS_ASSETS = `${OVERVIEW_PATH}/assets`;
const FORM_LIMIT_BYTES = 64 * 1024;
const NOTICE_CHARS = 16;

/**
 * Adds the pages of operators, which show what is stuck and why, and offer actions. The admin API offers the same.
 * Browsers send a known password with every request, so a form from another site is refused.
 */
export function addOperationsPages(router: Router, basicAuth: RequestHandler, deps: OperationsPagesDeps): void {
  const before = [pageHeaders({ strictTransportSecurity: false }), noStore, basicAuth];
  const get: readonly RequestHandler[] = [
    ...before,
    async (request, response) => {
      const question = questionOf(request.originalUrl);
      if (question === undefined) throw new ProblemError('not_found', { detail: 'There is nothing at this path.' });
      const moved = elsewhere(question);
      if (moved !== undefined) {
        response.redirect(moved);
        return;
      }
      const { notice } = request.query;
      const left = typeof notice === 'string' ? await deps.notices.take(notice.slice(0, NOTICE_CHARS)) : undefined;
      await show(deps, response, question, { notice: left });
    },
  ];
  addRoute(router, assetsPath(OPERATIONS_ASSETS), { get: [deps.assets.serve] });
  addRoute(router, OVERVIEW_PATH, { get, post: [...before, deps.refuseForeignSites, run(deps)] });
  addRoute(router, PAGE_PATHS.slice(1), { get });
}

/** Runs the action of a pressed button, then redirects to a page, so that a reload repeats nothing. */
const run =
  (deps: OperationsPagesDeps): RequestHandler =>
  (request, response) => {
    const rules = { limitBytes: FORM_LIMIT_BYTES, reservation: deps.bodies.open('operator') };
    return withForm(request, response, rules, (form) => press(deps, response, form));
  };

/** As operators sign in to these pages, for an admin token without a label. */
const UNNAMED_OPERATOR = 'admin';
const OVERVIEW: PageQuestion = { page: 'overview', id: '', query: {} };

async function press(deps: OperationsPagesDeps, response: Response, form: FormFields): Promise<void> {
  const { do: name = '', back = '', destination, token } = form;
  const question = questionOf(back) ?? OVERVIEW;
  const about = destination ?? form['account'] ?? '';
  try {
    const button = BUTTONS.get(name);
    if (button === undefined) throw new ProblemError('not_found', { detail: 'This page has no such button.' });
    const missing = button.needs?.filter((field) => form[field] === undefined) ?? [];
    if (missing.length > 0) throw new ProblemError('not_found', { detail: `Name ${missing.join(' and ')}.` });
    const own = deps.originOf(response);
    const by = {
      calledAt: response.req.socket.localAddress,
      operator: { token: own.token ?? UNNAMED_OPERATOR, person: own.person },
    };
    const result = await button.run(deps.services, form, by);
    const { account = textIn(result, 'account') ?? (name === 'createAccount' ? textIn(result, 'id') : undefined) } =
      form;
    const object = destination ?? token ?? textIn(result, 'id') ?? textIn(result, 'access');
    if (button.security !== undefined) deps.noteSecurity(button.security, response, { account, object });
    const origin = { actor: 'operator', ...own, via: 'operations page' } as const;
    await auditButton(deps.audit, name, { ...origin, account, object });
    if (button.once !== undefined) {
      await show(deps, response, question, { once: button.once(result) });
      return;
    }
    const address = name === 'showAddress' ? textIn(result, 'address') : undefined;
    const notice: Notice = { isGood: true, about, text: button.done, ...(address !== undefined && { address }) };
    response.redirect(303, withNotice(button.then?.(result) ?? urlOf(question), await deps.notices.leave(notice)));
  } catch (error) {
    const problem = deps.asProblem(error);
    if (problem.status >= 500) deps.logger.error('an action of the operations pages failed', { action: name, error });
    const text = String(problem.detail ?? 'This did not work. Try again in a minute.');
    await show(deps, response, question, { notice: { isGood: false, about, text } }, problem.status);
  }
}

const withNotice = (url: string, notice = ''): string => `${url}${url.includes('?') ? '&' : '?'}notice=${notice}`;

/** A text in the result of an action, such as the account of a destination. */
function textIn(result: unknown, name: 'access' | 'account' | 'address' | 'id'): string | undefined {
  const value = (result as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}

async function show(
  deps: OperationsPagesDeps,
  response: Response,
  question: PageQuestion,
  said: Said,
  status = 200,
): Promise<void> {
  const shown = await read(deps, question);
  response.status(Math.max(status, shown.status ?? 200)).set('content-type', 'text/html; charset=utf-8');
  response.end(operationsDocument(deps.assets.urls, question, shown, said));
}

/** Shows a 404 for something unknown, and a 503 while Redis or the store cannot be reached. */
async function read(deps: OperationsPagesDeps, question: PageQuestion): Promise<Shown> {
  try {
    return await readPage(deps, question);
  } catch (error) {
    const problem = deps.asProblem(error);
    const title = NAVIGATION.find(([name]) => name === question.page)?.[1] ?? '';
    if (problem.status < 500) {
      const content = html`<p class="notice bad">${String(problem.detail ?? 'This is not possible.')}</p>`;
      return { title, status: problem.status, content };
    }
    deps.logger.warn('a page of the operators could not be read', { error });
    const fault = faultContent(faultOf(problem), await deps.services.ownFindings());
    return { title, status: 503, fault, isLive: true, content: html`` };
  }
}

const faultOf = ({ detail }: ProblemError): string =>
  String(detail).startsWith('The store')
    ? 'The store cannot be reached at the moment, so accounts cannot be found. The overview works without it.'
    : 'Redis cannot be reached at the moment. Accepted events are kept; this page shows more when Redis is back.';
