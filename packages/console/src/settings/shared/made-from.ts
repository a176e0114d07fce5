import type { IfVersion } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { hidden } from '../../html/elements.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Outcome, OutcomePlace } from '../../page/outcome.ts';
import { withBoxes } from './endpoint-form.ts';

/**
 * A form that replaces a record carries the version of the record and its fields as it has shown them. A save replaces
 * this version only. Otherwise the answer shows what the customer has typed and what is saved now, and the form is made
 * from the latter (docs/decisions/0087).
 */
interface MadeFrom {
  readonly version: string;
  readonly saved: FormFields;
}

const FIELD = 'madeFrom';

/** What a form has besides its fields. */
export const fieldsFrom = (version: string, saved: FormFields): FormFields => ({
  [FIELD]: JSON.stringify({ version, saved } satisfies MadeFrom),
});

/** Typed input that is shown again is still made from what its form has shown first. */
export const madeFrom = (version: string, saved: FormFields, typed: Outcome['draft']): Markup =>
  hidden(FIELD, typed?.[FIELD] ?? fieldsFrom(version, saved)[FIELD] ?? '');

/** Undefined for a form that a program has made, which then replaces any version. */
export function ifVersionOf(form: FormFields): IfVersion | undefined {
  if (form[FIELD] === undefined) return undefined;
  const { version } = read(form);
  return (found) => found === version;
}

/**
 * The same for a form that shows a part of a record. `part`: the present version of the part. Then only the record of
 * version `etag` is replaced.
 *
 * @throws a 412 if the form was made from another part.
 */
export function ifPartOf(form: FormFields, part: string, etag: string): IfVersion | undefined {
  const isMadeFrom = ifVersionOf(form);
  if (isMadeFrom === undefined) return undefined;
  if (!isMadeFrom(part)) throw new ProblemError('precondition_failed');
  return (found) => found === etag;
}

/** Nothing is saved. What the customer has typed stays, and other fields show what is saved now. */
export function outdatedForm(place: OutcomePlace, form: FormFields): Outcome {
  const { saved } = read(form);
  const isTyped = ([name, value]: readonly [string, string]): boolean =>
    name !== FIELD && value.replaceAll('\r\n', '\n') !== saved[name];
  const draft = Object.fromEntries(Object.entries(withBoxes(form)).filter(isTyped));
  const text = texts.outcomes.changedMeanwhile;
  const errors = (form['password'] ?? '') === '' ? {} : { password: texts.faults.again };
  return { place, isGood: false, isOutdated: true, status: 409, text, errors, draft };
}

/**
 * The errors of a form, and what is saved now in each field that the customer wants otherwise. `words` are for values
 * that are no words.
 */
export function errorsOf(
  outcome: Outcome | undefined,
  saved: FormFields,
  words: Readonly<Record<string, Content>> = {},
): NonNullable<Outcome['errors']> {
  const { draft = {}, errors = {}, isOutdated = false } = outcome ?? {};
  if (!isOutdated) return errors;
  const now = Object.entries(saved).flatMap(([name, value]): [string, Content][] => {
    if (draft[name] === undefined || draft[name] === value) return [];
    return [[name, value === '' ? texts.faults.emptyNow : texts.faults.now({ value: words[name] ?? value })]];
  });
  return { ...Object.fromEntries(now), ...errors };
}

/** Empty for a text that no form of these pages has made. No record has this version. */
function read(form: FormFields): MadeFrom {
  try {
    const { version = '', saved = {} } = Object(JSON.parse(form[FIELD] ?? '')) as Partial<MadeFrom>;
    return { version, saved };
  } catch {
    return { version: '', saved: {} };
  }
}
