import type { RequestHandler, Response, Router } from 'express';
import { DEAD_LETTERS_KEPT_MS, hasHttps, OPERATIONS_ACCOUNT } from '@mailhook/core';
import { addRoute, invalid, noStore, ProblemError, withForm } from '@mailhook/platform/http-server';
import { auditButton } from '../audit.ts';
import type { Assets } from '../html/assets.ts';
import { assetsPath } from '../html/assets.ts';
import { pageHeaders } from '../html/page-headers.ts';
import type { OverviewActions, OverviewReadings } from '../operations-api.ts';
import type { PageHost } from '../page-host.ts';
import { CARDS_SHOWN } from './accounts-section.ts';
import { ACTIONS_SHOWN } from './audit-section.ts';
import type { Notices } from './notices.ts';
import { overviewDocument } from './overview-document.ts';
import { OVERVIEW_PATH } from './view.ts';
import type { Notice, OperationsView } from './view.ts';

export interface OverviewPageDeps extends PageHost {
  readonly readings: OverviewReadings;
  readonly actions: OverviewActions;
  readonly notices: Notices;
  /** Loaded for `OVERVIEW_ASSETS`. */
  readonly assets: Assets;
}

export const OVERVIEW_ASSETS = `${OVERVIEW_PATH}/assets`;
const FORM_LIMIT_BYTES = 16 * 1024;

type Form = Readonly<Record<string, string | undefined>>;

/**
 * Adds the operations overview, which shows what is stuck and why, and offers actions. The admin API offers the same.
 * Browsers send a known password with every request, so a form from another site is refused.
 */
export function addOverviewPage(router: Router, basicAuth: RequestHandler, deps: OverviewPageDeps): void {
  const before = [pageHeaders({ strictTransportSecurity: false }), noStore, basicAuth];
  addRoute(router, assetsPath(OVERVIEW_ASSETS), { get: [deps.assets.serve] });
  addRoute(router, OVERVIEW_PATH, {
    get: [
      ...before,
      async (request, response) => {
        const { notice } = request.query;
        const left = typeof notice === 'string' ? await deps.notices.take(notice.slice(0, ID_MAX_CHARS)) : undefined;
        await show(deps, response, request.query as Form, left);
      },
    ],
    post: [...before, deps.refuseForeignSites, run(deps)],
  });
}

const ACTIONS: Readonly<Record<string, (actions: OverviewActions, form: Form) => Promise<unknown>>> = {
  probe: ({ destinations }, form) => destinations.probe(form['destination'] ?? ''),
  showAddress: ({ destinations }, form) => destinations.find(form['destination'] ?? ''),
  sendNow: ({ destinations }, form) => destinations.sendNow(form['destination'] ?? ''),
  pause: ({ destinations }, form) =>
    destinations.pause(form['destination'] ?? '', { minutes: Number(form['minutes']) }),
  resume: ({ destinations }, form) => destinations.resume(form['destination'] ?? ''),
  drop: ({ destinations }, form) =>
    destinations.drop(form['destination'] ?? '', { confirm: (form['confirm'] ?? '').trim() }),
  redrive: ({ deadLetters }, form) =>
    deadLetters.redrive({ account: form['account'], destination: form['destination'] }),
  discard: ({ discard }, { account, destination, confirm = '' }) => {
    if (confirm.trim() !== account) throw invalid([{ path: 'confirm', message: 'must be the id of the account' }]);
    return discard({ account, destination });
  },
};

const DAY_MS = 86_400_000;

const DONE: Readonly<Record<string, string>> = {
  probe: 'One event is tried now. If the receiver takes it, the other events follow.',
  sendNow:
    'All resends are sent as fast as the receiver takes them. While its last attempt failed, one is tried first.',
  showAddress: 'Who saw the whole address is recorded:',
  pause: 'Paused. Nothing is sent until the pause ends or you resume the destination.',
  resume: 'Resumed. Waiting events are sent, unless the destination is still parked.',
  drop: `The undelivered events become dead letters, step by step. They can be re-driven for ${DEAD_LETTERS_KEPT_MS / DAY_MS} days.`,
  redrive:
    'The dead letters of this destination are being delivered again. Dead letters of inactive destinations stay.',
  discard: 'The dead letters of this destination are deleted, and their events with them.',
};

/** Buttons for dead letters. They need an account and a destination, and never act on all dead letters. */
const OF_DEAD_LETTERS: ReadonlySet<string> = new Set(['redrive', 'discard']);

/** Runs the action of a pressed button, then redirects to the page, so that a reload repeats nothing. */
const run =
  (deps: OverviewPageDeps): RequestHandler =>
  (request, response) => {
    const rules = { limitBytes: FORM_LIMIT_BYTES, reservation: deps.bodies.open('operator') };
    return withForm(request, response, rules, (form) => press(deps, response, form));
  };

async function press(deps: OverviewPageDeps, response: Response, form: Form): Promise<void> {
  const name = String(form['do']);
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const about = form['destination'] ?? '';
  try {
    if (action === undefined) throw new ProblemError('not_found', { detail: 'This page has no such button.' });
    if (OF_DEAD_LETTERS.has(name) && (form['account'] === undefined || form['destination'] === undefined))
      throw new ProblemError('not_found', { detail: 'Name an account and a destination.' });
    const result = await action(deps.actions, form);
    const { account = accountIn(result), destination: object } = form;
    const pressed = {
      actor: 'operator',
      ...deps.originOf(response),
      via: 'operations page',
      account,
      object,
    } as const;
    await auditButton(deps.audit, name, pressed);
    const notice = await deps.notices.leave({
      isGood: true,
      about,
      text: DONE[name] ?? '',
      ...(name === 'showAddress' && { address: addressIn(result) }),
    });
    const query = new URLSearchParams({ ...queryOf(new URLSearchParams(form['back'])), notice: notice ?? '' });
    response.redirect(303, `${OVERVIEW_PATH}?${query.toString()}`);
  } catch (error) {
    const problem = deps.asProblem(error);
    if (problem.status >= 500) deps.logger.error('an action of the overview page failed', { action: name, error });
    const text = problem.detail ?? 'This did not work. Try again in a minute.';
    const query = queryOf(new URLSearchParams(form['back']));
    await show(deps, response, query, { isGood: false, about, text }, problem.status);
  }
}

/** The account of a destination that an action has changed. */
const accountIn = (result: unknown): string | undefined => {
  const { account } = (result ?? {}) as { readonly account?: unknown };
  return typeof account === 'string' ? account : undefined;
};

const addressIn = (result: unknown): string => {
  const { address } = (result ?? {}) as { readonly address?: unknown };
  return typeof address === 'string' ? address : '';
};

/**
 * The parts of a query that say what the page shows. Express leaves a repeated part as a list, which counts as absent.
 */
function queryOf(query: URLSearchParams | Readonly<Record<string, unknown>>): Form {
  const values = query instanceof URLSearchParams ? Object.fromEntries(query) : query;
  return Object.fromEntries(
    ['find', 'account', 'from'].flatMap((name) => {
      const value = values[name];
      return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim().slice(0, QUERY_MAX_CHARS)]] : [];
    }),
  );
}

const QUERY_MAX_CHARS = 200;
const ID_MAX_CHARS = 16;
/** Reading costs more with every destination that comes before. */
const FROM_MAX = 2000;

async function show(
  deps: OverviewPageDeps,
  response: Response,
  query: Form,
  notice?: Notice,
  status = 200,
): Promise<void> {
  const shown = queryOf(query);
  const { view, foundStatus } = await load(deps, shown);
  const search = new URLSearchParams(shown as Record<string, string>).toString();
  response.status(Math.max(status, foundStatus)).set('content-type', 'text/html; charset=utf-8');
  response.end(
    overviewDocument(deps.assets.urls, view, `${OVERVIEW_PATH}${search === '' ? '' : `?${search}`}`, notice),
  );
}

/** `foundStatus`: 404 for something unknown, 503 while Redis or the store cannot be reached. */
async function load(deps: OverviewPageDeps, query: Form): Promise<{ view: OperationsView; foundStatus: number }> {
  try {
    return { view: await read(deps, query), foundStatus: 200 };
  } catch (error) {
    const problem = deps.asProblem(error);
    if (problem.status === 404)
      return { view: { shows: 'fault', fault: problem.detail ?? '', findings: [] }, foundStatus: 404 };
    deps.logger.warn('the overview page could not be read', { error });
    const findings = await deps.readings.ownFindings();
    return { view: { shows: 'fault', fault: faultOf(problem), findings }, foundStatus: 503 };
  }
}

const faultOf = ({ detail }: ProblemError): string =>
  detail?.startsWith('The store') === true
    ? 'The store cannot be reached at the moment, so accounts cannot be found. The overview works without it.'
    : 'Redis cannot be reached at the moment. Accepted events are kept; reload this page in a minute.';

async function read({ readings, audit }: OverviewPageDeps, query: Form): Promise<OperationsView> {
  const { find, account, from = '0' } = query;
  if (account !== undefined) {
    const found = await readings.accounts.find(account);
    const { items } = await audit.list({ account, limit: ACTIONS_SHOWN });
    const isBound = readings.isHttpsOnly && account !== OPERATIONS_ACCOUNT;
    const withoutHttps = found.destinations.filter(({ address }) => isBound && address !== '' && !hasHttps(address));
    return { shows: 'account', account: found, actions: items, withoutHttps };
  }
  if (find !== undefined) {
    const result = await readings.accounts.search(find);
    const names = await readings.accounts.namesOf(result.destinations.map((one) => one.account));
    return { shows: 'search', text: find, result, names };
  }
  const start = Math.min(Number(from), FROM_MAX);
  if (start > 0) {
    const overview = await readings.overview(start + CARDS_SHOWN);
    const shown = overview.attention.slice(start, start + CARDS_SHOWN);
    const names = await readings.accounts.namesOf(shown.map((one) => one.account));
    return { shows: 'more', from: start, overview, names };
  }
  const [reading, { items: actions }] = await Promise.all([
    readings.readOperations(),
    audit.list({ limit: ACTIONS_SHOWN }),
  ]);
  const ofActions = await readings.accounts.namesOf(actions.flatMap((entry) => entry.account ?? []));
  return { shows: 'overview', ...reading, names: new Map([...reading.names, ...ofActions]), actions };
}
