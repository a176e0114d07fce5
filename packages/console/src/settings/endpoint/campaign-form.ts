import { campaignOf } from '@mailhook/core';
import type { CampaignWebhook } from '@mailhook/core';
import { versionOf } from '@mailhook/platform/http-server';
import { actionButton, formField, hidden } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { errorsOf, madeFrom } from '../shared/made-from.ts';
import type { Outcome } from '../../page/outcome.ts';
import { showLoaded, testResults } from '../shared/page-parts.ts';
import { addressInput } from '../shared/endpoint-fields.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';

const { setup } = texts;

/**
 * The address of the campaign webhook, which can be tried before it is saved. Typed input is shown again, even if the
 * saved setting cannot be read. `stays`: in the first run, which has the tests and their
 * results in its second step.
 */
export function campaignForm(view: Pick<Frame, 'destinations'>, outcome: Outcome | undefined, stays = false): Markup {
  const own = outcome?.place === 'campaign' ? outcome : undefined;
  const destinations = valueOf(view.destinations);
  const setting = destinations && campaignOf(destinations);
  const isMain = !stays || destinations?.every(({ id }) => id === 'campaign') === true;
  const shown =
    setting !== undefined || own?.draft !== undefined
      ? form(setting, own, stays, isMain)
      : showLoaded(view.destinations, () => html``);
  return html`<div id="campaign-form-part" data-part${own?.draft !== undefined && html` data-keep`}>${shown}</div>`;
}

const UNREAD: CampaignWebhook = { address: null, active: false };

function form(setting: CampaignWebhook | undefined, own: Outcome | undefined, stays: boolean, isMain: boolean): Markup {
  const { address, active, inactiveReason } = setting ?? UNREAD;
  const saved = { address: address ?? '' };
  const version = setting === undefined ? '' : versionOf(setting);
  const isOff = address !== null && !active;
  const isSwitchedOff = inactiveReason !== undefined;
  const save = actionButton({
    id: 'campaign-save',
    value: 'save-campaign',
    text: texts.outcomes.saveAddress,
    busy: setup.saving,
    look: isSwitchedOff || !isMain ? 'quiet' : 'primary',
  });
  const saveAndSwitchOn = actionButton({
    id: 'campaign-save-on',
    value: 'save-campaign-on',
    text: setup.saveAndSwitchOn,
    busy: setup.saving,
    look: isSwitchedOff ? 'primary' : 'quiet',
  });
  return html`<form method="post" id="${CAMPAIGN_FORM}" novalidate data-guard>
      ${stays && hidden('stay', '1')}${madeFrom(version, saved, own?.draft)}
      ${formField({
        id: 'campaign-address',
        label: setup.url,
        error: errorsOf(own, saved)['address'],
        control: addressInput(own?.draft?.['address'] ?? address ?? '', address ?? ''),
      })}
      <div class="actions">
        ${isSwitchedOff ? [saveAndSwitchOn, ' ', save] : [save, ' ', isOff && saveAndSwitchOn]}
        ${!stays && campaignTests('quiet')}
      </div>
    </form>
    ${!stays && testResults(own)}`;
}

export const CAMPAIGN_FORM = 'campaign-form';

/** The buttons that try the address of a form: the one around them, or the one with this id. */
export const campaignTests = (look: 'primary' | 'quiet', form?: string): Markup =>
  html`${actionButton({
    id: 'campaign-test',
    value: 'test-campaign',
    text: setup.testConnection,
    busy: setup.testing,
    look,
    form,
  })}
  ${actionButton({ id: 'campaign-batch', value: 'test-batch', text: setup.sendBatch, busy: setup.sending, form })}
  ${actionButton({ id: 'campaign-check', value: 'check-campaign', text: setup.check, busy: setup.checking, form })}`;
