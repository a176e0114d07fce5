import { actionButton, hidden, section, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { campaignForm } from './campaign-form.ts';
import type { Endpoint } from '../shared/endpoints.ts';
import { campaignExample } from '../overview/examples.ts';
import { loginSection } from './login-section.ts';
import { errorsOf, madeFrom } from '../shared/made-from.ts';
import type { Outcome } from '../../page/outcome.ts';
import { ownSecretsSection } from '../secrets/content.ts';
import { addressField, anyway, typeField } from '../shared/subscription-fields.ts';
import type { EndpointView } from './view.ts';

const { setup } = texts;

/** Everything that a customer sets once: the address first, what is dangerous last and apart. */
export function endpointSettings(endpoint: Endpoint, view: EndpointView, outcome: Outcome | undefined): Markup {
  const { id, address } = endpoint;
  const isCampaign = id === 'campaign';
  return html`${section(
    {
      id: 'address',
      title: isCampaign ? setup.address : setup.eventAndAddress,
      lead: isCampaign ? setup.campaignLead : setup.eventAndAddressLead,
    },
    html`<div class="card">
      ${isCampaign ? html`${campaignForm(view, outcome)}${campaignExample()}` : editForm(endpoint, outcome)}
    </div>`,
  )}
  ${address !== undefined && loginSection(id, address, view, outcome)}
  ${address !== undefined && html`${ownSecretsSection(id, address, view, outcome)}${danger(endpoint)}`}`;
}

function danger({ id, name, isOn }: Endpoint): Markup {
  const whom = unseen([' (', name, ')']);
  const ask = (value: string, text: Content, look: 'quiet' | 'danger'): Markup =>
    actionButton({ id: `${value}-${id}`, value, text: html`${text}${whom}`, busy: setup.counting, look });
  return section(
    { id: 'danger', title: setup.stop, lead: setup.stopLead },
    html`<div class="card" id="stops" data-part>
      <form method="post" class="actions">
        ${hidden('id', id)}${hidden('destination', id)}
        ${isOn && ask('ask-pause', setup.pause, 'quiet')}${isOn && ask('ask-off', setup.switchOff, 'quiet')}
        ${
          id === 'campaign'
            ? ask('ask-remove', setup.removeAddress, 'danger')
            : ask('ask-delete', setup.delete, 'danger')
        }
      </form>
    </div>`,
  );
}

function editForm(endpoint: Endpoint, outcome: Outcome | undefined): Markup {
  const { id, address = '', events, isOn, status, version = '' } = endpoint;
  const saved = { address, type: events };
  const isTyped = outcome?.draft?.['do']?.startsWith('edit-subscription') === true;
  const typed = isTyped ? outcome.draft : undefined;
  const errors = isTyped ? errorsOf(outcome, saved) : undefined;
  const isSwitchedOff = status?.state === 'switched_off';
  const update = actionButton({
    id: `update-${id}`,
    value: 'edit-subscription',
    text: setup.update,
    busy: setup.updating,
    look: isSwitchedOff ? 'quiet' : 'primary',
  });
  const updateAndSwitchOn = actionButton({
    id: `update-on-${id}`,
    value: 'edit-subscription-on',
    text: setup.saveAndSwitchOn,
    busy: setup.updating,
    look: isSwitchedOff ? 'primary' : 'quiet',
  });
  return html`<div id="edit-${id}" data-part${isTyped && html` data-keep`}>
    <form method="post" novalidate data-guard>
      ${hidden('id', id)}${madeFrom(version, saved, typed)}
      <div class="pair">
        ${typeField(`edit-${id}`, typed?.['type'] ?? events, errors, events)}
        ${addressField(`edit-${id}`, typed?.['address'] ?? address, errors, address)}
      </div>
      <div class="actions">
        ${isSwitchedOff ? [updateAndSwitchOn, ' ', update] : [update, ' ', !isOn && updateAndSwitchOn]}
        ${
          !isOn && actionButton({ id: `switch-${id}`, value: 'switch-on', text: setup.switchOn, busy: setup.switching })
        }
        ${isTyped && anyway(outcome, setup.updateAnyway)}
      </div>
    </form>
  </div>`;
}
