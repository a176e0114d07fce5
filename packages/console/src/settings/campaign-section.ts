import type { CampaignWebhook, DestinationStatus } from '@mailhook/core';
import {
  actionButton,
  badge,
  formField,
  hidden,
  masked,
  notice,
  PAGE_PATH,
  section,
  unseen,
} from '../html/elements.ts';
import { outcomeArea, showLoaded, unroutedHint } from './page-parts.ts';
import { lossNote, offForm, pauseForm, stateBadge, stateNotice } from './destination-state.ts';
import { campaignExample } from './examples.ts';
import { loginLinks } from './login-section.ts';
import { historyPicture } from './history-picture.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import { receiverReport } from './receiver-report.ts';
import { testTraffic } from './request-reply.ts';
import type { LiveView } from './view.ts';
import { valueOf } from './view.ts';

/** The account's campaign webhook: the only address for its batches of campaign events. */
export function campaignSection(view: LiveView, outcome: Outcome | undefined): Markup {
  const setting = valueOf(view.campaign);
  return section(
    {
      id: 'campaign',
      title: 'Campaign webhook',
      lead: 'Opens, clicks and unsubscribes of your campaigns, in batches of up to 1,000 events. Your server confirms each event by its hash.',
      aside: campaignState(view),
    },
    markup`<div class="card">
${campaignNotice(view)}
${unroutedHint('campaign', view, ['campaign'])}
<div id="campaign-form-part" data-part${outcome?.place === 'campaign' && outcome.draft !== undefined && markup` data-keep`}>${formOrFault(view, outcome)}</div>
${campaignExample()}
${setting?.address != null && historyPicture('campaign', valueOf(view.history)?.get('campaign'), statusOf(view))}
</div>`,
  );
}

const statusOf = ({ statuses }: LiveView): DestinationStatus | undefined => valueOf(statuses)?.get('campaign');

export function campaignState(view: LiveView): Markup {
  const setting = valueOf(view.campaign);
  const isOn = setting?.active === true;
  const fallback =
    setting === undefined || setting.address === null
      ? markup`${setting !== undefined && badge('plain', 'Not set up')}`
      : badge(isOn ? 'plain' : 'warn', isOn ? 'On' : 'Off');
  return stateBadge('campaign', view, fallback);
}

export const campaignNotice = (view: LiveView): Markup => stateNotice('campaign', view);

const WHOM = unseen(' (campaign webhook)');

/** Shows typed input again, even if the saved setting cannot be read. */
function formOrFault(view: LiveView, outcome: Outcome | undefined): Markup {
  const { campaign } = view;
  const setting = valueOf(campaign);
  if (setting !== undefined) return form(setting, view, outcome);
  const isTyped = outcome?.place === 'campaign' && outcome.draft !== undefined;
  return isTyped ? form({ address: null, active: false }, view, outcome) : showLoaded(campaign, () => markup``);
}

function form(setting: CampaignWebhook, view: LiveView, outcome: Outcome | undefined): Markup {
  const { address, active, inactiveReason } = setting;
  const own = outcome?.place === 'campaign' ? outcome : undefined;
  const value = own?.draft?.['address'] ?? address ?? '';
  const isOff = address !== null && !active;
  return markup`${
    inactiveReason !== undefined &&
    notice(
      'bad',
      markup`<strong>Mailhook switched this webhook off: ${masked(inactiveReason)}.</strong> New events are not kept. Enter the address that is used now, or make your server answer at this one. Then press “Save and switch on”.`,
    )
  }
<form method="post" action="${PAGE_PATH}" id="campaign-form" novalidate>
${formField({
  id: 'campaign-address',
  label: 'Webhook URL',
  hint: 'Where your server receives the batches, such as https://example.com/mail-events.',
  error: own?.errors?.['address'],
  control: (attributes) =>
    markup`<input ${attributes} class="address" name="address" type="url" inputmode="url" autocomplete="off" spellcheck="false" value="${value}" placeholder="https://">`,
})}
<div class="actions">
${isOff && actionButton({ id: 'campaign-save-on', value: 'save-campaign-on', text: 'Save and switch on', busy: 'Saving…', look: 'primary' })}
${actionButton({ id: 'campaign-save', value: 'save-campaign', text: 'Save', busy: 'Saving…', look: isOff ? 'quiet' : 'primary' })}
${actionButton({ id: 'campaign-test', value: 'test-campaign', text: 'Test connection', busy: 'Testing…' })}
${actionButton({ id: 'campaign-batch', value: 'test-batch', text: 'Send sample batch', busy: 'Sending…' })}
${actionButton({ id: 'campaign-check', value: 'check-campaign', text: 'Check my receiver', busy: 'Checking, up to a minute…' })}
</div>
</form>
${address !== null && markup`<div class="actions">${destinationActions(active, view, own)}</div>`}
${outcomeArea('campaign', outcome, true)}
${own?.traffic !== undefined && testTraffic(own.traffic)}
${own?.report !== undefined && receiverReport(own.report)}`;
}

/** What can be done with a saved address. */
function destinationActions(active: boolean, view: LiveView, own: Outcome | undefined): Markup {
  const status = statusOf(view);
  return markup`${active && pauseForm('campaign', WHOM)}
${loginLinks(view.question, 'campaign', WHOM)}
${active && offForm('campaign', status, 'switch-off-campaign', WHOM)}
<details id="remove-campaign"${own?.question === 'remove-campaign' && markup` open`}><summary class="button quiet">Remove address${WHOM}</summary>
<form method="post" action="${PAGE_PATH}" class="inset">${hidden('destination', 'campaign')}
<p>Without an address, campaign events are not delivered, and new ones are not kept.</p>${lossNote('remove', 'campaign', status)}
<div class="actions">${actionButton({ id: 'confirm-remove-campaign', value: 'remove-campaign', text: 'Remove address', busy: 'Removing…', look: 'danger' })}</div>
</form></details>`;
}
