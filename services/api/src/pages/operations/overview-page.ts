import type { RequestHandler, Response, Router } from 'express';
import helmet from 'helmet';
import type { DeadLetterBox, Overview } from '@mailhook/delivery';
import { addRoute, asProblem, invalid, noStore, ProblemError, withForm } from '@mailhook/platform/http-server';
import type { BodyBudget } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import { translateError } from '../../http/errors.ts';
import type { Assets } from '../html/assets.ts';
import { assetsPath } from '../html/assets.ts';
import { createSameSiteCheck } from '../../auth/same-site.ts';
import type { DestinationActions } from '../../operations/destination-actions.ts';
import type { Discard } from '../../operations/discard.ts';
import { overviewDocument, OVERVIEW_PATH } from './overview-document.ts';
import type { Notice, OverviewView } from './overview-document.ts';

export interface OverviewPageDeps {
  readonly overview: () => Promise<Overview>;
  readonly deadLetters: DeadLetterBox;
  readonly actions: DestinationActions;
  readonly discard: Discard;
  readonly bodies: BodyBudget;
  /** Loaded for `OVERVIEW_ASSETS`. */
  readonly assets: Assets;
  readonly logger: Logger;
}

export const OVERVIEW_ASSETS = `${OVERVIEW_PATH}/assets`;
const FORM_LIMIT_BYTES = 16 * 1024;
const DEAD_LETTERS_READ = 200;

type Form = Readonly<Record<string, string | undefined>>;

/**
 * Adds the operations overview, which shows what is stuck and why, and offers actions. The admin API offers the same. Browsers send a known
 * password with every request, so a form from another site is refused.
 */
export function addOverviewPage(router: Router, basicAuth: RequestHandler, deps: OverviewPageDeps): void {
  const before = [headers, noStore, basicAuth];
  addRoute(router, assetsPath(OVERVIEW_ASSETS), { get: [deps.assets.serve] });
  addRoute(router, OVERVIEW_PATH, {
    get: [...before, (request, response) => show(deps, response, noticeOf(request.query as Form))],
    post: [...before, createSameSiteCheck(undefined), run(deps)],
  });
}

/** Forbids all scripts. Without `same-origin` as referrer policy, a form's `Origin` would be `null`. */
const headers: RequestHandler = helmet({
  strictTransportSecurity: false,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
  referrerPolicy: { policy: 'same-origin' },
});

const ACTIONS: Readonly<Record<string, (deps: OverviewPageDeps, form: Form) => Promise<unknown>>> = {
  probe: ({ actions }, form) => actions.probe(form['destination'] ?? ''),
  pause: ({ actions }, form) => actions.pause(form['destination'] ?? '', { minutes: Number(form['minutes']) }),
  resume: ({ actions }, form) => actions.resume(form['destination'] ?? ''),
  drop: ({ actions }, form) => actions.drop(form['destination'] ?? '', { confirm: (form['confirm'] ?? '').trim() }),
  redrive: ({ deadLetters }, form) => deadLetters.redrive({ account: form['account'], address: form['address'] }),
  discard: ({ discard }, { account, address, confirm = '' }) => {
    if (confirm.trim() !== account) throw invalid([{ path: 'confirm', message: 'must be the id of the account' }]);
    return discard({ account, address });
  },
};

const DONE: Readonly<Record<string, string>> = {
  probe: 'One event is tried now. If the receiver takes it, the other events follow.',
  pause: 'Paused. Nothing is sent until the pause ends or you resume the destination.',
  resume: 'Resumed. Waiting events are sent, unless the destination is still parked.',
  drop: 'The undelivered events become dead letters, step by step. They can be re-driven for 7 days.',
  redrive: 'The dead letters of this address are being delivered again. Dead letters of inactive destinations stay.',
  discard: 'The dead letters of this destination are deleted, and their events with them.',
};

/** Buttons for dead letters. They need an account and an address, and never act on all dead letters. */
const OF_LETTERS: ReadonlySet<string> = new Set(['redrive', 'discard']);

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
  const about = form['destination'] ?? form['address'] ?? '';
  try {
    if (action === undefined) throw new ProblemError('not_found', { detail: 'This page has no such button.' });
    if (OF_LETTERS.has(name) && (form['account'] === undefined || form['address'] === undefined))
      throw new ProblemError('not_found', { detail: 'Name an account and an address.' });
    await action(deps, form);
    response.redirect(303, `${OVERVIEW_PATH}?${new URLSearchParams({ did: name, about }).toString()}`);
  } catch (error) {
    const problem = asProblem(error, translateError);
    if (problem.status >= 500) deps.logger.error('an action of the overview page failed', { action: name, error });
    const text = problem.detail ?? 'This did not work. Try again in a minute.';
    await show(deps, response, { isGood: false, about, text }, problem.status);
  }
}

const noticeOf = ({ did, about }: Form): Notice | undefined => {
  const text = typeof did === 'string' && Object.hasOwn(DONE, did) ? DONE[did] : undefined;
  return text === undefined ? undefined : { isGood: true, about: typeof about === 'string' ? about : '', text };
};

async function show(deps: OverviewPageDeps, response: Response, notice?: Notice, status = 200): Promise<void> {
  const view = await load(deps);
  const shownStatus = 'fault' in view ? Math.max(status, 503) : status;
  response.status(shownStatus).set('content-type', 'text/html; charset=utf-8');
  response.end(overviewDocument(deps.assets.urls, view, notice));
}

async function load({ overview, deadLetters, logger }: OverviewPageDeps): Promise<OverviewView> {
  try {
    const [whole, newest] = await Promise.all([overview(), deadLetters.list({}, { limit: DEAD_LETTERS_READ })]);
    return { overview: whole, deadLetters: newest.items };
  } catch (error) {
    logger.warn('the overview page could not be read', { error });
    return { fault: 'Redis cannot be reached at the moment. Accepted events are kept; reload this page in a minute.' };
  }
}
