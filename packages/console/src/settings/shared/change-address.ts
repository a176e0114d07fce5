import type { CustomerServices, ReceiverReport } from '@mailhook/core';
import { receiverCheckInput } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { count } from '../../html/formats.ts';
import type { Content } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { done } from '../../page/outcome.ts';
import type { OutcomePlace, Said } from '../../page/outcome.ts';
import { action } from '../family.ts';
import { fieldsLike } from './made-from.ts';

const { outcomes } = texts;

/** The only module of subscriptions. */
export const MODULE = 'transactional_email';

/** Removes the spaces around a pasted address. */
export const typedAddress = ({ address = '' }: FormFields): string => address.trim();

export const ofSubscription = ({ id = '' }: FormFields): OutcomePlace => `subscription-${id}`;

/** The forms of these buttons name the destination by its id, or `campaign`. */
export const ofDestination = ({ destination = '', id = '' }: FormFields): OutcomePlace => {
  const found = destination || id || 'campaign';
  return found === 'campaign' ? found : `subscription-${found}`;
};

/**
 * Runs a change of an address. Resolves with a sentence, after a space, if the custom headers of the destination belong
 * to the old one.
 */
export async function changeAddress(
  api: CustomerServices,
  account: string,
  destination: string,
  change: () => Promise<unknown>,
): Promise<Content> {
  const names = async () =>
    Object.keys((await api.destinationSettings.list(account)).get(destination)?.settings.headers ?? {});
  const before = await names();
  await change();
  const isLost = before.length > 0 && (await names()).length === 0;
  return isLost && [' ', outcomes.headersLost];
}

/** After a successful test of an address that is not the saved one. */
export function offerToSave(value: string, about: string, form: FormFields): Partial<Said> {
  const { stay, type } = form;
  const fields = {
    address: typedAddress(form),
    ...(type === undefined ? {} : { type }),
    ...(stay === undefined ? {} : { stay }),
    ...fieldsLike(form),
  };
  const offer = { value, text: outcomes.saveAddress, busy: texts.setup.saving, fields, about };
  return { advice: outcomes.notSaved, offer };
}

/** Checks a receiver against the whole protocol. */
export const check = (kind: 'campaign' | 'transactional', place: OutcomePlace | ((form: FormFields) => OutcomePlace)) =>
  action({
    audit: false,
    place,
    input: (form) => parseOrThrow(receiverCheckInput, { address: typedAddress(form), kind }),
    run: async ({ api, account, form, input }) => {
      const report = await api.receiverCheck(account, input, form['id']);
      return done(textOfReport(report), { isGood: report.failed === 0, report, draft: form });
    },
  });

function textOfReport({ passed, failed, checks }: ReceiverReport): Content {
  if (failed > 0) return outcomes.checksFailed({ failed: count(failed), all: passed + failed });
  const warnings = checks.filter(({ outcome }) => outcome === 'warning').length;
  return warnings === 0 ? outcomes.checksPassed({ passed }) : outcomes.couldBeBetter({ results: warnings });
}
