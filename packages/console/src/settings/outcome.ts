import { addressAsSent } from '@mailhook/core';
import type { ReceiverReport, TestResult } from '@mailhook/core';
import type { ProblemError } from '@mailhook/platform/http-server';
import { adviceOn } from './advice.ts';
import { faultOf } from './faults.ts';
import type { Dialog } from './dialog.ts';
import { masked } from '../html/elements.ts';
import type { Content } from '../html/markup.ts';
import { saidProblem, saidSentence } from '../messages/coded.ts';
import { texts } from '../messages/texts.ts';
import type { Traffic } from './request-reply.ts';

/** The part of the page that shows an outcome. */
export type OutcomePlace =
  | 'campaign'
  | 'new-subscription'
  | 'subscriptions'
  | `subscription-${string}`
  | 'login'
  | 'dead-letters'
  | 'secrets'
  | 'own-secrets'
  | 'alerts'
  | 'page';

/** What the page offers after an action, such as to save a tested address. */
export interface Offer {
  readonly value: string;
  readonly text: Content;
  readonly busy: Content;
  readonly fields: Readonly<Record<string, string>>;
  /** The part of the page with the form that it stands for, whose typed input the answer replaces. */
  readonly about?: string;
}

/** The outcome of an action on the page. */
export interface Outcome {
  readonly place: OutcomePlace;
  readonly isGood: boolean;
  /** Done, but not all is well. */
  readonly isWarning?: boolean;
  /** The form was made from another state than the saved one. */
  readonly isOutdated?: boolean;
  /** HTTP status of the page's answer. */
  readonly status: number;
  readonly text: Content;
  /** What to do next. */
  readonly advice?: Content;
  /** The same as the protocol has it, for those who know that text. */
  readonly note?: string | undefined;
  /** Errors by field. */
  readonly errors?: Readonly<Record<string, Content>> | undefined;
  /** Typed input, to show again. */
  readonly draft?: Readonly<Record<string, string>> | undefined;
  /** The value of the button that goes on anyway. */
  readonly question?: string | undefined;
  /** What the page asks in a dialog before it does anything. */
  readonly dialog?: Dialog | undefined;
  /** A button beside the text. */
  readonly offer?: Offer | undefined;
  readonly secret?: string | undefined;
  readonly report?: ReceiverReport | undefined;
  /** The request and the reply of a test. */
  readonly traffic?: Traffic | undefined;
}

export const done = (place: OutcomePlace, text: Content, more: Partial<Outcome> = {}): Outcome => ({
  place,
  isGood: true,
  status: 200,
  text,
  ...more,
});

/** The outcome of a test of this address. */
export function ofTest(place: OutcomePlace, result: TestResult, success: Content, address: string): Outcome {
  const { request, reply } = result;
  const isSigned = request?.headers['webhook-signature'] !== undefined;
  const traffic = { address: addressAsSent(address), request, reply };
  if (result.success) {
    const { warning } = result;
    if (warning === undefined) return done(place, success, { traffic });
    return {
      place,
      isGood: false,
      status: 200,
      text: saidSentence(warning),
      advice: adviceOn(warning, isSigned),
      traffic,
    };
  }
  const { message, detail } = result;
  const failed = { place, isGood: false, status: 200, advice: adviceOn(detail ?? message, isSigned), traffic };
  if (detail !== undefined) return { ...failed, text: [saidSentence(message), ' ', saidSentence(detail)] };
  const { line } = message.values;
  return typeof line === 'string'
    ? {
        ...failed,
        text: texts.outcomes.answered({ status: masked(line.replace(CURL_LINE, '')) }),
        note: String(message),
      }
    : { ...failed, text: saidSentence(message) };
}

/** The start of how the protocol names a failed connection test (`connectionTestFault`). */
const CURL_LINE = /^\d+ - HTTP\/1\.1 /;

/** Nothing has happened yet: the page asks. */
export const asks = (place: OutcomePlace, dialog: Dialog): Outcome => ({
  place,
  isGood: true,
  status: 200,
  text: '',
  dialog,
});

/** The outcome of an action that the API refused. The page shows each field's error at the field. */
export function ofProblem(place: OutcomePlace, problem: ProblemError, draft: Outcome['draft']): Outcome {
  const { status, detail } = problem;
  const entries = (problem.errors ?? []).map(({ path, message }) => [path, faultOf(message)] as const);
  const isFields = entries.length > 0 && entries.every(([path]) => path !== '');
  const why = status < 500 && detail !== undefined ? saidProblem(detail) : texts.outcomes.ourFault;
  return {
    place,
    isGood: false,
    status,
    text: isFields ? texts.outcomes.correctFields : why,
    errors: Object.fromEntries(entries),
    draft,
  };
}
