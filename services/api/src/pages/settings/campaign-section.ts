import type { CampaignWebhook, DestinationStatus } from '@mailhook/core';
import { actionButton, badge, formField, masked, notice, PAGE_PATH, section, unseen } from '../html/elements.ts';
import { outcomeArea, showLoaded, unroutedHint } from './page-parts.ts';
import { pauseForm, stateBadge, stateNotice } from './destination-state.ts';
import { campaignExample } from './examples.ts';
import { loginLink } from './login-section.ts';
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
  return stateBadge('campaign', statusOf(view), fallback);
}

export const campaignNotice = (view: LiveView): Markup => stateNotice('campaign', view);

const WHOM = unseen(' (campaign webhook)');

/** Shows typed input again, even if the saved setting cannot be read. */
function formOrFault({ campaign, question }: LiveView, outcome: Outcome | undefined): Markup {
  const setting = valueOf(campaign);
  if (setting !== undefined) return form(setting, outcome, loginLink(question, 'campaign', WHOM));
  const isTyped = outcome?.place === 'campaign' && outcome.draft !== undefined;
  return isTyped ? form({ address: null, active: false }, outcome, markup``) : showLoaded(campaign, () => markup``);
}

function form(
  { address, active, inactiveReason }: CampaignWebhook,
  outcome: Outcome | undefined,
  login: Markup,
): Markup {
  const own = outcome?.place === 'campaign' ? outcome : undefined;
  const typed = own?.draft;
  const value = typed?.['address'] ?? address ?? '';
  // A new webhook is on by default.
  const isOn = typed === undefined ? active || address === null : typed['active'] !== undefined;
  return markup`${
    inactiveReason !== undefined &&
    notice(
      'bad',
      markup`<strong>Mailhook switched this webhook off: ${masked(inactiveReason)}.</strong> Enter the address that is used now, or make your server answer at this one. Then tick “Deliver campaign events” and save.`,
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
<div class="field check"><input type="checkbox" id="campaign-active" name="active" value="true"${isOn && markup` checked`} aria-describedby="campaign-active-hint">
<label for="campaign-active">Deliver campaign events</label>
<p class="hint" id="campaign-active-hint">While this is off, new events are not kept, and waiting events become dead letters (see below). To keep them all, pause instead.</p></div>
<div class="actions">
${actionButton({ id: 'campaign-save', value: 'save-campaign', text: 'Save', busy: 'Saving…', look: 'primary' })}
${actionButton({ id: 'campaign-test', value: 'test-campaign', text: 'Test connection', busy: 'Testing…' })}
${actionButton({ id: 'campaign-batch', value: 'test-batch', text: 'Send sample batch', busy: 'Sending…' })}
${actionButton({ id: 'campaign-check', value: 'check-campaign', text: 'Check my receiver', busy: 'Checking, up to a minute…' })}
</div>
</form>
<div class="actions">${active && address !== null && pauseForm('campaign', WHOM)}${address !== null && login}</div>
${outcomeArea('campaign', outcome, true)}
${own?.traffic !== undefined && testTraffic(own.traffic)}
${own?.report !== undefined && receiverReport(own.report)}`;
}
