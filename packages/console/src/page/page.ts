import { coded } from '@mailhook/core';
import type { AuditedAction, AuditLog, SecurityEvent } from '@mailhook/core';
import { addRoute, ProblemError } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import type { RequestHandler, Router } from 'express';
import type { Markup } from '../html/markup.ts';
import type { Outcome, OutcomePlace, Said } from './outcome.ts';

/*
 * A page and its buttons are declared once, for customers and operators alike. Its routes, the updates of its open
 * windows, the refusal of forms from other sites, the audit entries and security events derive from the declaration.
 */

/** The types of one family of pages. */
interface Kind {
  /** A name of a page in the navigation. */
  readonly name: string;
  /** A field of the addresses. */
  readonly field: string;
  /** What is asked, and the services that answer. */
  readonly liveAsk: object;
  /** The same, and who asks. */
  readonly ask: Kind['liveAsk'];
  /** What every page of the family shows. */
  readonly view: object;
  /** A page as the family's frame takes it. */
  readonly shown: object;
  /** What a button's action gets. */
  readonly press: object;
}

/** What a page reads, each part by its name. Parts are read at the same time. */
export type Reads = Readonly<Record<string, unknown>>;
export type Read<Parts extends Reads> = { readonly [Part in keyof Parts]: Awaited<Parts[Part]> };

interface Facts<Of extends Kind> {
  /** After the start of the family's addresses. It may end with a parameter, such as `/accounts/:id`. */
  readonly path: string;
  /** The entry of the navigation that is current. */
  readonly name: Of['name'];
  /** The fields of the address that the page reads. Others are dropped. */
  readonly asks: readonly Of['field'][];
  /** Where the page of an address of before is now. */
  readonly moved?: (query: FormFields) => string | undefined;
  /** Its buttons, by their value. */
  readonly actions?: Actions<Of['press']>;
}

export interface Declaration<Of extends Kind, Own extends Reads, Live extends Reads> extends Facts<Of> {
  /** What changes without user action: open windows ask for it every few seconds, and get only these parts. */
  readonly live?: {
    readonly load: (ask: Of['liveAsk']) => Live;
    readonly content: (view: Of['view'] & Read<Live>) => Markup;
  };
  /** What the page reads besides. */
  readonly load?: (ask: Of['ask']) => Own;
  readonly show: (view: Of['view'] & Read<Live> & Read<Own>, outcome: Outcome | undefined) => Of['shown'];
}

/** The single source of a page, of its updates and of its buttons. */
export interface Page<Of extends Kind> extends Facts<Of> {
  /** Begins to read all parts of the page. */
  readonly load: (ask: Of['ask']) => Reads;
  /** Begins to read only the parts that change. */
  readonly loadLive: (ask: Of['liveAsk']) => Reads;
  /** The parts that change, for a view that has been loaded. */
  readonly update: (view: Of['view']) => Markup | undefined;
  readonly show: (view: Of['view'], outcome: Outcome | undefined) => Of['shown'];
}

/** Makes the function that declares pages of one family. */
export const pageFor =
  <Of extends Kind>() =>
  <Own extends Reads = Reads, Live extends Reads = Reads>(declared: Declaration<Of, Own, Live>): Page<Of> => {
    const { live, load, show, ...facts } = declared;
    return {
      ...facts,
      load: (ask) => ({ ...live?.load(ask), ...load?.(ask) }),
      loadLive: (ask) => ({ ...live?.load(ask) }),
      // A view holds what this page has loaded.
      update: (view) => live?.content(view as Of['view'] & Read<Live>),
      show: (view, outcome) => show(view as Of['view'] & Read<Live> & Read<Own>, outcome),
    };
  };

/** Waits for all parts. */
export async function all<Parts extends Reads>(parts: Parts): Promise<Read<Parts>> {
  const read = await Promise.all(Object.entries(parts).map(async ([name, part]) => [name, await part] as const));
  return Object.fromEntries(read) as Read<Parts>;
}

/** What every action gets besides. */
interface Pressed {
  readonly form: FormFields;
  /** Notes that nothing was changed, so that the press is not recorded. */
  readonly onUnchanged: () => void;
}

/** What a button does. */
interface ActionFacts {
  /** How the audit log names the change. False: the button changes nothing, such as a test, a search or a question. */
  readonly audit: string | false;
  /** Of a change of who may sign in. */
  readonly security?: SecurityEvent;
  /** Its effect outlives a session, so that a stolen session must not suffice. */
  readonly isLasting?: true;
  /** Who may only see everything may press it. */
  readonly isForReaders?: true;
  /** Where the page shows the outcome. Default: at its head. */
  readonly place?: OutcomePlace | ((form: FormFields) => OutcomePlace);
}

export interface ActionDeclaration<Press, Input> extends ActionFacts {
  /** Checks what was typed. Throws a 422 with the errors of the fields. Default: the fields of the form. */
  readonly input?: (form: FormFields) => Input;
  readonly run: (press: Press & Pressed & { readonly input: Input }) => Promise<Said>;
}

export interface Action<Press> extends ActionFacts {
  readonly press: (press: Press & Pressed) => Promise<Said>;
}

/** The buttons of a page, by their value. */
export type Actions<Press> = Readonly<Record<string, Action<Press>>>;

/** Makes the function that declares actions of one family. */
export const actionFor =
  <Press>() =>
  <Input = FormFields>({ input, run, ...facts }: ActionDeclaration<Press, Input>): Action<Press> => ({
    ...facts,
    press: async (press) => run({ ...press, input: input === undefined ? (press.form as Input) : input(press.form) }),
  });

/** All buttons of a family by their value. @throws if two pages have different ones of the same value. */
export function actionsOf<Of extends Kind>(pages: readonly Page<Of>[]): ReadonlyMap<string, Action<Of['press']>> {
  const found = new Map<string, Action<Of['press']>>();
  for (const [value, action] of pages.flatMap(({ actions = {} }) => Object.entries(actions))) {
    if ((found.get(value) ?? action) !== action) throw new Error(`Two buttons have the value ${value}.`);
    found.set(value, action);
  }
  return found;
}

const placeOf = ({ place = 'page' }: ActionFacts, form: FormFields): OutcomePlace =>
  typeof place === 'string' ? place : place(form);

/** Who presses a button. */
export interface Presser<Press> {
  readonly press: Press;
  /** For the audit log. */
  readonly record: Omit<AuditedAction, 'action' | 'object'>;
  /** Resolves with a refusal, or with what is asked first. Undefined if the action may go on. */
  readonly admit?: (action: Action<Press>) => Promise<Said | undefined>;
  /** The outcome of an action that a service has refused. */
  readonly refusal: (problem: ProblemError, place: OutcomePlace) => Outcome;
  readonly note: (
    event: SecurityEvent,
    subject: { readonly account?: string | undefined; readonly object?: string | undefined },
  ) => void;
}

export interface PressDeps {
  readonly asProblem: (error: unknown) => ProblemError;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly logger: Logger;
}

/** Runs the action of a pressed button. Never rejects, because a failure is an outcome too. */
export async function pressButton<Press>(
  { asProblem, audit, logger }: PressDeps,
  action: Action<Press> | undefined,
  form: FormFields,
  { press, record, admit, refusal, note }: Presser<Press>,
): Promise<Outcome> {
  const place = action === undefined ? 'page' : placeOf(action, form);
  try {
    if (action === undefined) throw new ProblemError('not_found', { detail: coded('unknown-button') });
    const first = await admit?.(action);
    if (first !== undefined) return { place, ...first };
    const noted = { isUnchanged: false };
    const said = await action.press({ ...press, form, onUnchanged: () => void (noted.isUnchanged = true) });
    const isChange = said.status < 400 || said.changed !== undefined;
    if (action.audit !== false && isChange && !noted.isUnchanged) {
      const whole = said.changed?.object ?? ((form['id'] ?? '') || form['destination'] || undefined);
      const own = said.changed?.account ?? record.account;
      if (action.security !== undefined) note(action.security, { account: own, object: whole });
      const name = said.changed?.action ?? action.audit;
      const write = async (objects: Iterable<readonly [string | undefined, string | undefined]>): Promise<void> => {
        for (const [account, object] of objects) await audit.record({ ...record, account, object, action: name });
      };
      await write(said.changed?.objects ?? [[own, whole]]);
      void said.changed?.later?.then(write);
    }
    return { place, ...said };
  } catch (error) {
    const problem = asProblem(error);
    if (problem.status >= 500)
      logger.error('an action of a page failed', { action: form['do'], via: record.via, error });
    return refusal(problem, place);
  }
}

/** What a family does with the requests to a page. */
interface Routes<Of extends Kind> {
  /** The address of a page's path. The page with the path '' is the entry. */
  readonly addressOf: (path: string) => string;
  /** Runs before every handler. */
  readonly before: readonly RequestHandler[];
  readonly refuseForeignSites: RequestHandler;
  readonly show: (page: Page<Of>) => RequestHandler;
  readonly press: (page: Page<Of>) => RequestHandler;
  /** Answers the updates of a page. Undefined: open windows load the page itself. */
  readonly update?: (page: Page<Of>) => RequestHandler;
}

/** Adds the routes of all pages. */
export function addPages<Of extends Kind>(
  router: Router,
  pages: readonly Page<Of>[],
  { addressOf, before, refuseForeignSites, show, press, update }: Routes<Of>,
): void {
  for (const page of pages) {
    const path = addressOf(page.path);
    addRoute(router, path, { get: [...before, show(page)], post: [...before, refuseForeignSites, press(page)] });
    if (update !== undefined) addRoute(router, `${path}/news`, { get: [...before, update(page)] });
  }
}
