import type { Operator, OperatorServices } from '@mailhook/core';
import { DEAD_LETTERS_KEPT_MS } from '@mailhook/core';
import { invalid, ProblemError } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import { masked } from '../html/elements.ts';
import type { Content } from '../html/markup.ts';
import { done } from '../page/outcome.ts';
import type { Said } from '../page/outcome.ts';
import { actionFor, pageFor } from '../page/page.ts';
import type { Page } from '../page/page.ts';
import type { PageName, PageQuery, PageQuestion } from './navigation.ts';
import type { Names, PageContext, Shown } from './view.ts';

interface Ask {
  readonly services: OperatorServices;
  readonly question: PageQuestion;
}

/** What an action of an operator gets. */
export interface Press {
  readonly services: OperatorServices;
  readonly logger: Logger;
  /** `calledAt`: the address of this machine that the browser has reached. */
  readonly caller: { readonly calledAt: string | undefined; readonly operator: Operator };
}

export interface Operators {
  readonly name: PageName;
  readonly field: keyof PageQuery;
  readonly liveAsk: Ask;
  readonly ask: Ask;
  readonly view: { readonly question: PageQuestion };
  readonly shown: Shown;
  readonly press: Press;
}

export type OperatorPage = Page<Operators>;

/** Declares a page of operators. A part that cannot be read makes the page a 404, or says what is away. */
export const page = pageFor<Operators>();

/** Declares what a button of these pages does. */
export const action = actionFor<Press>();

export const DEAD_LETTERS_DAYS = DEAD_LETTERS_KEPT_MS / 86_400_000;

const NO_NAMES: Names = new Map();

export const contextOf = (names: Names = NO_NAMES, nowMs = Date.now()): PageContext => ({
  names,
  nowMs,
  deadLettersDays: DEAD_LETTERS_DAYS,
});

/** The fields of a form that an action cannot do without, so that no form acts on everything. Throws a 404. */
export function needed<Name extends string>(
  form: FormFields,
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  const missing = names.filter((name) => form[name] === undefined);
  if (missing.length > 0) throw new ProblemError('not_found', { detail: `Name ${missing.join(' and ')}.` });
  return form;
}

/** Throws a 422 unless the id of the account was typed to confirm. */
export function checkTyped({ confirm = '' }: FormFields, account: string): void {
  if (confirm.trim() !== account) throw invalid([{ path: 'confirm', message: 'must be the id of the account' }]);
}

/** What was done, and to what. */
export const said = ({ destination, account = '' }: FormFields, text: Content, more: Partial<Said> = {}): Said =>
  done(masked(destination ?? account), { advice: text, ...more });
