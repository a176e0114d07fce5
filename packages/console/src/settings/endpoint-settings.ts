import { actionButton, hidden, notice, section, timeOf, unseen } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { campaignForm } from './campaign-form.ts';
import type { Endpoint } from './endpoints.ts';
import { campaignExample } from './examples.ts';
import { loginSection } from './login-section.ts';
import type { Outcome } from './outcome.ts';
import { ownSecretsSection } from './secrets-section.ts';
import { addressField, anyway, typeField } from './subscription-fields.ts';
import type { View } from './view.ts';

/** Everything that a customer sets once: the address first, what is dangerous last and apart. */
export function endpointSettings(endpoint: Endpoint, view: View, outcome: Outcome | undefined): Markup {
  const { id, address } = endpoint;
  const isCampaign = id === 'campaign';
  return markup`${section(
    {
      id: 'address',
      title: isCampaign ? 'Address' : 'Event and address',
      lead: isCampaign
        ? 'Opens, clicks and unsubscribes of your campaigns, in batches of up to 1,000 events. Your server confirms each event by its hash.'
        : 'Waiting events go to the new address too.',
    },
    markup`<div class="card">${isCampaign ? markup`${campaignForm(view, outcome)}${campaignExample()}` : editForm(endpoint, outcome)}</div>`,
  )}
${address !== undefined && loginSection(id, address, view, outcome)}
${address !== undefined && ownSecretsSection(id, address, view, outcome)}
${address !== undefined && danger(endpoint)}`;
}

function danger({ id, name, isOn }: Endpoint): Markup {
  const whom = unseen(` (${name})`);
  const ask = (value: string, text: string, look: 'quiet' | 'danger'): Markup =>
    actionButton({ id: `${value}-${id}`, value, text: markup`${text}${whom}`, busy: 'Counting…', look });
  return section(
    { id: 'danger', title: 'Stop deliveries', lead: 'A pause keeps new events. All else on this list loses them.' },
    markup`<div class="card" id="stops" data-part><form method="post" class="actions">${hidden('id', id)}${hidden('destination', id)}
${isOn && ask('ask-pause', 'Pause…', 'quiet')}${isOn && ask('ask-off', 'Switch off…', 'quiet')}
${id === 'campaign' ? ask('ask-remove', 'Remove address…', 'danger') : ask('ask-delete', 'Delete…', 'danger')}</form></div>`,
  );
}

function editForm({ id, address = '', events, isOn, status }: Endpoint, outcome: Outcome | undefined): Markup {
  const isTyped = outcome?.draft?.['do']?.startsWith('edit-subscription') === true;
  const typed = isTyped ? outcome.draft : undefined;
  const errors = isTyped ? outcome.errors : undefined;
  return markup`<div id="edit-${id}" data-part${isTyped && markup` data-keep`}>${
    status?.goneAt !== undefined &&
    notice(
      'bad',
      markup`<strong>Mailhook switched this off: your server answered 410 Gone</strong> (${timeOf(status.goneAt)}). Enter the address that is used now, then press “Update and switch on”.`,
    )
  }<form method="post" novalidate data-guard>${hidden('id', id)}
<div class="pair">${typeField(`edit-${id}`, typed?.['type'] ?? events, errors, events)}
${addressField(`edit-${id}`, typed?.['address'] ?? address, errors, address)}</div>
<div class="actions">
${!isOn && actionButton({ id: `update-on-${id}`, value: 'edit-subscription-on', text: 'Update and switch on', busy: 'Updating…', look: 'primary' })}
${actionButton({ id: `update-${id}`, value: 'edit-subscription', text: 'Update', busy: 'Updating…', look: isOn ? 'primary' : 'quiet' })}
${!isOn && actionButton({ id: `switch-${id}`, value: 'switch-on', text: 'Switch on', busy: 'Switching…' })}
${isTyped && anyway(outcome, 'Update anyway')}</div>
</form></div>`;
}
