import type { ReceiverReport, TestResult } from '@mailhook/core';
import type { ProblemError } from '@mailhook/platform/http-server';
import { adviceOn } from './advice.ts';

/** The part of the page that an outcome is shown in. */
export type OutcomePlace =
  'campaign' | 'new-subscription' | 'subscriptions' | `subscription-${string}` | 'dead-letters' | 'secrets' | 'page';

/** What became of what somebody asked for. */
export interface Outcome {
  readonly place: OutcomePlace;
  readonly isGood: boolean;
  /** Of the page's answer. */
  readonly status: number;
  readonly text: string;
  /** What to do next. */
  readonly advice?: string | undefined;
  /** By field. */
  readonly errors?: Readonly<Record<string, string>> | undefined;
  /** What was typed, to be shown again. */
  readonly draft?: Readonly<Record<string, string>> | undefined;
  readonly secret?: string | undefined;
  readonly report?: ReceiverReport | undefined;
}

export const done = (place: OutcomePlace, text: string, more: Partial<Outcome> = {}): Outcome => ({
  place,
  isGood: true,
  status: 200,
  text,
  ...more,
});

/** Of the connection test and of the test notification. */
export function ofTest(place: OutcomePlace, result: TestResult, success: string): Outcome {
  if (result.success) return done(place, success);
  const text = /[.!?]$/.test(result.message) ? result.message : `${result.message}.`;
  return { place, isGood: false, status: 200, text, advice: adviceOn(result.message) };
}

const OUR_FAULT = 'Mailhook cannot do this at the moment. Nothing that you typed is lost: try again in a minute.';

/** What the API would have refused the same with. Errors of fields stand at their fields. */
export function ofProblem(place: OutcomePlace, problem: ProblemError, draft: Outcome['draft']): Outcome {
  const { status, detail } = problem;
  const entries = (problem.errors ?? []).map(({ path, message }) => [path, message] as const);
  const isFields = entries.length > 0 && entries.every(([path]) => path !== '');
  return {
    place,
    isGood: false,
    status,
    text: isFields ? 'Correct what is marked, then try again.' : (status < 500 && detail) || OUR_FAULT,
    errors: Object.fromEntries(entries),
    draft,
  };
}
