import type { CustomerServices, ReceiverReport } from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import { count } from '../../html/formats.ts';
import type { Content } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { done } from '../../page/outcome.ts';
import type { OutcomePlace, Said } from '../../page/outcome.ts';

const { outcomes } = texts;

/** The endpoint that the form of a button names: a public id. */
export const endpointIn = ({ destination = '', id = '' }: FormFields): string => destination || id || 'campaign';

/** The place of its page that shows what a button has done. */
export const ofEndpoint = (form: FormFields): OutcomePlace => placeOf(endpointIn(form));

export const placeOf = (id: string): OutcomePlace => (id === 'campaign' ? id : `endpoint-${id}`);

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

/** What a check of a receiver has found. */
export function ofReport(report: ReceiverReport, form: FormFields): Said {
  const { passed, failed, checks } = report;
  const warnings = checks.filter(({ outcome }) => outcome === 'warning').length;
  const text =
    failed > 0
      ? outcomes.checksFailed({ failed: count(failed), all: passed + failed })
      : warnings === 0
        ? outcomes.checksPassed({ passed })
        : outcomes.couldBeBetter({ results: warnings });
  return done(text, { isGood: failed === 0, isWarning: warnings > 0, report, draft: form });
}
