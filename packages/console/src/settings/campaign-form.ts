import type { CampaignWebhook } from '@mailhook/core';
import { actionButton, formField, hidden, masked, notice } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import { showLoaded, testResults } from './page-parts.ts';
import type { View } from './view.ts';
import { valueOf } from './view.ts';

/**
 * The address of the campaign webhook, which can be tried before it is saved. Typed input is shown again, even if the
 * saved setting cannot be read. `stays`: on the page that has the form, whatever the button does.
 */
export function campaignForm(view: View, outcome: Outcome | undefined, stays = false): Markup {
  const own = outcome?.place === 'campaign' ? outcome : undefined;
  const setting = valueOf(view.campaign);
  const shown =
    setting !== undefined || own?.draft !== undefined
      ? form(setting ?? { address: null, active: false }, own, stays)
      : showLoaded(view.campaign, () => markup``);
  return markup`<div id="campaign-form-part" data-part${own?.draft !== undefined && markup` data-keep`}>${shown}</div>`;
}

function form({ address, active, inactiveReason }: CampaignWebhook, own: Outcome | undefined, stays: boolean): Markup {
  const isOff = address !== null && !active;
  return markup`${
    inactiveReason !== undefined &&
    notice(
      'bad',
      markup`<strong>Mailhook switched this webhook off: ${masked(inactiveReason)}.</strong> New events are not kept. Enter the address that is used now, or make your server answer at this one. Then press “Save and switch on”.`,
    )
  }
<form method="post" id="campaign-form" novalidate data-guard>${stays && hidden('stay', '1')}
${formField({
  id: 'campaign-address',
  label: 'Webhook URL',
  hint: 'Where your server receives the batches, such as https://example.com/mail-events.',
  error: own?.errors?.['address'],
  control: (attributes) =>
    markup`<input ${attributes} class="address" name="address" type="url" inputmode="url" autocomplete="off" spellcheck="false" data-saved="${address ?? ''}" value="${own?.draft?.['address'] ?? address ?? ''}" placeholder="https://">`,
})}
<div class="actions">
${isOff && actionButton({ id: 'campaign-save-on', value: 'save-campaign-on', text: 'Save and switch on', busy: 'Saving…', look: 'primary' })}
${actionButton({ id: 'campaign-save', value: 'save-campaign', text: 'Save', busy: 'Saving…', look: isOff ? 'quiet' : 'primary' })}
${campaignTests('quiet')}
</div>
</form>
${testResults(own)}`;
}

/** The buttons that try the address of their form. */
export const campaignTests = (look: 'primary' | 'quiet'): Markup =>
  markup`${actionButton({ id: 'campaign-test', value: 'test-campaign', text: 'Test connection', busy: 'Testing…', look })}
${actionButton({ id: 'campaign-batch', value: 'test-batch', text: 'Send sample batch', busy: 'Sending…' })}
${actionButton({ id: 'campaign-check', value: 'check-campaign', text: 'Check my receiver', busy: 'Checking, up to a minute…' })}`;
