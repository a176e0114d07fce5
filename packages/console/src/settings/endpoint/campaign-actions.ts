import { CAMPAIGN_FIELDS, campaignTestInput, campaignWebhookInput, receiverCheckInput } from '@mailhook/core';
import { invalid, parseOrThrow, versionOf } from '@mailhook/platform/http-server';
import { listOf } from '../../html/formats.ts';
import { texts } from '../../messages/texts.ts';
import { done } from '../../page/outcome.ts';
import type { Said } from '../../page/outcome.ts';
import { changeAddress, ofReport } from '../shared/change-address.ts';
import { typedAddress } from '../shared/endpoint-form.ts';
import { action } from '../family.ts';
import type { CustomerActions, Press } from '../family.ts';
import { ifVersionOf } from '../shared/made-from.ts';
import { ofTest } from '../shared/outcomes.ts';
import { askAboutEmptyAddress } from './stop-actions.ts';
import type { FormFields } from '@mailhook/platform/http-server';

const { outcomes } = texts;

/** Saves the address. A webhook that is off stays off, unless the customer switches it on; a new one is on. */
const save = (audit: string, isSwitchedOn: boolean) =>
  action({
    audit,
    place: 'campaign',
    run: async ({ api, account, form, onUnchanged }) => {
      const address = typedAddress(form);
      const before = await api.campaign.read(account);
      if (address === '' && before.address !== null) return askAboutEmptyAddress(api, account, form);
      if (address === '') throw invalid([{ path: 'address', message: 'is required' }]);
      const active = isSwitchedOn || before.active || before.address === null;
      const setting = parseOrThrow(campaignWebhookInput, { address, active });
      const ifVersion = ifVersionOf(form) ?? ((version) => version === versionOf(before));
      let saved = before;
      const lost = await changeAddress(api, account, 'campaign', async () => {
        saved = await api.campaign.write(account, setting, onUnchanged, ifVersion);
      });
      const { active: isOn } = saved;
      return done([isOn ? outcomes.campaignSaved : outcomes.campaignSavedOff, lost], { isWarning: !isOn });
    },
  });

async function test(
  { api, account, form }: Press & { readonly form: FormFields },
  send: 'connection' | 'batch',
): Promise<{ readonly isAccepted: boolean; readonly said: Said }> {
  const address = typedAddress(form);
  if (address === '') throw invalid([{ path: 'address', message: 'is required for the test' }]);
  const result = await api.campaign.test(account, parseOrThrow(campaignTestInput, { address, send }));
  const success = outcomes.batchConfirmed({ types: listOf(Object.keys(CAMPAIGN_FIELDS)) });
  const said = ofTest(result, success, address);
  const isUnsaved = said.isGood && (await api.campaign.read(account)).address !== address;
  const reminder = isUnsaved && { advice: outcomes.notSaved };
  return { isAccepted: result.success, said: { ...said, draft: form, ...reminder } };
}

/** The buttons of the campaign webhook. */
export const campaignActions: CustomerActions = {
  'save-campaign': save('save campaign webhook', false),
  'save-campaign-on': save('save and switch on campaign webhook', true),
  'test-batch': action({
    audit: false,
    place: 'campaign',
    run: async (press) => (await test(press, 'batch')).said,
  }),
  // Some servers answer the connection test correctly and batches with another status, so a sample batch follows.
  'test-campaign': action({
    audit: false,
    place: 'campaign',
    run: async (press) => {
      const connection = await test(press, 'connection');
      if (!connection.isAccepted) return connection.said;
      const { said } = await test(press, 'batch');
      const text = said.isGood ? outcomes.testsPassed : [outcomes.batchFailed, ' ', said.text];
      return { ...said, text };
    },
  }),
  'check-campaign': action({
    audit: false,
    place: 'campaign',
    input: (form) => parseOrThrow(receiverCheckInput, { address: typedAddress(form), kind: 'campaign' }),
    run: async ({ api, account, form, input }) => ofReport(await api.receiverCheck(account, input), form),
  }),
};
