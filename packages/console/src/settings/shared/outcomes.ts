import { addressAsSent } from '@mailhook/core';
import type { TestResult } from '@mailhook/core';
import type { ProblemError } from '@mailhook/platform/http-server';
import type { Content } from '../../html/markup.ts';
import { saidProblem, saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import { done, refused } from '../../page/outcome.ts';
import type { Outcome, OutcomePlace, Said } from '../../page/outcome.ts';
import { adviceOn } from '../../messages/advice.ts';
import { faultOf } from './faults.ts';

/** The outcome of a test of this address. */
export function ofTest(result: TestResult, success: Content, address: string): Said {
  const { request, reply } = result;
  const isSigned = request?.headers['webhook-signature'] !== undefined;
  const traffic = { address: addressAsSent(address), request, reply };
  if (result.success) {
    const { warning } = result;
    if (warning === undefined) return done(success, { traffic });
    return refused(200, saidSentence(warning), { advice: adviceOn(warning, isSigned), traffic });
  }
  const { message, detail } = result;
  const failed = { isGood: false, status: 200, advice: adviceOn(detail ?? message, isSigned), traffic };
  if (detail !== undefined) return { ...failed, text: [saidSentence(message), ' ', saidSentence(detail)] };
  return { ...failed, text: saidSentence(message) };
}

/** The outcome of an action that the API refused. The page shows each field's error at the field. */
export function ofProblem(place: OutcomePlace, problem: ProblemError, draft: Outcome['draft']): Outcome {
  const { status, detail } = problem;
  // An empty field needs no further error.
  const entries = (problem.errors ?? []).map(
    ({ path, message }) => [path, draft?.[path]?.trim() === '' ? texts.faults.required : faultOf(message)] as const,
  );
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
