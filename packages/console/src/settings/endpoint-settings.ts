import { actionButton, hidden, notice, section, timeOf, unseen } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { campaignForm } from './campaign-form.ts';
import { lossNote, offForm, pauseForm } from './destination-state.ts';
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
${address !== undefined && danger(endpoint, outcome)}`;
}

function danger(endpoint: Endpoint, outcome: Outcome | undefined): Markup {
  const { id, isOn, status } = endpoint;
  const whom = unseen(` (${endpoint.name})`);
  return section(
    { id: 'danger', title: 'Stop deliveries', lead: 'A pause keeps new events. All else on this list loses them.' },
    markup`<div class="card stops" id="stops" data-part>${isOn && pauseForm(id, whom)}
${isOn && offForm(id, status, id === 'campaign' ? 'switch-off-campaign' : 'switch-off', whom)}
${id === 'campaign' ? removeForm(endpoint, outcome) : deleteForm(endpoint)}</div>`,
  );
}

const removeForm = ({ status }: Endpoint, outcome: Outcome | undefined): Markup =>
  markup`<details id="remove-campaign"${outcome?.question === 'remove-campaign' && markup` open`}><summary class="button danger">Remove address</summary>
<form method="post" class="inset">${hidden('destination', 'campaign')}
<p>Without an address, campaign events are not delivered, and new ones are not kept.</p>${lossNote('remove', 'campaign', status)}
<div class="actions">${actionButton({ id: 'confirm-remove-campaign', value: 'remove-campaign', text: 'Remove address', busy: 'Removing…', look: 'danger' })}</div>
</form></details>`;

const deleteForm = ({ id, isOn, status }: Endpoint): Markup =>
  markup`<details id="delete-${id}"><summary class="button danger">Delete</summary>
<form method="post" class="inset">${hidden('id', id)}
<p>This cannot be undone.${isOn && ' To keep the subscription, pause it: its events are kept. Or switch it off: waiting events become dead letters, and new ones are not kept.'}</p>${lossNote('delete', id, status)}
<div class="actions">${actionButton({ id: `confirm-delete-${id}`, value: 'delete-subscription', text: 'Delete subscription', busy: 'Deleting…', look: 'danger' })}</div>
</form></details>`;

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
  }<form method="post" novalidate>${hidden('id', id)}
<div class="pair">${typeField(`edit-${id}`, typed?.['type'] ?? events, errors)}
${addressField(`edit-${id}`, typed?.['address'] ?? address, errors)}</div>
<div class="actions">
${!isOn && actionButton({ id: `update-on-${id}`, value: 'edit-subscription-on', text: 'Update and switch on', busy: 'Updating…', look: 'primary' })}
${actionButton({ id: `update-${id}`, value: 'edit-subscription', text: 'Update', busy: 'Updating…', look: isOn ? 'primary' : 'quiet' })}
${!isOn && actionButton({ id: `switch-${id}`, value: 'switch-on', text: 'Switch on', busy: 'Switching…' })}
${isTyped && anyway(outcome, 'Update anyway')}</div>
</form></div>`;
}
