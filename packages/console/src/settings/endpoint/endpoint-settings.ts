import type { ShownDestination } from '@mailhook/core';
import { versionOf } from '@mailhook/platform/http-server';
import { actionButton, hidden, section, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { campaignForm } from './campaign-form.ts';
import { ofEndpoint } from '../shared/change-address.ts';
import type { Endpoint } from '../shared/endpoints.ts';
import { campaignExample } from '../overview/examples.ts';
import { loginSection } from './login-section.ts';
import { errorsOf, madeFrom } from '../shared/made-from.ts';
import type { Outcome } from '../../page/outcome.ts';
import { ownSecretsSection } from '../secrets/content.ts';
import {
  addressField,
  anyway,
  CHOSEN,
  filterFields,
  isFiltered,
  limitFields,
  nameField,
  shapeField,
  typeBoxes,
  versionField,
} from '../shared/endpoint-fields.ts';
import type { FieldsShown } from '../shared/endpoint-fields.ts';
import { changedBy, changesIn, hasSettings, savedFieldsOf } from '../shared/endpoint-form.ts';
import { filterTrial, previewButton, unlessFaulty } from '../shared/filter-trial.ts';
import { scopeView, shapeWords } from '../shared/scope.ts';
import type { EndpointView } from './view.ts';

const { setup, fields: words } = texts;

/** Everything that a customer sets once: the address first, what is dangerous last and apart. */
export function endpointSettings(endpoint: Endpoint, view: EndpointView, outcome: Outcome | undefined): Markup {
  const { id, settings } = endpoint;
  const address = id === 'campaign' && campaignSection(view, outcome);
  if (settings === undefined) return html`${address}`;
  return html`${address}${section(
    { id: id === 'campaign' ? 'options' : 'address', title: texts.endpoints.configuration, lead: words.lead },
    html`<div class="card">${editForm(endpoint, settings, view, outcome)}</div>`,
  )}
  ${loginSection(id, view, outcome)} ${ownSecretsSection(id, view, outcome)} ${danger(endpoint, settings)}`;
}

const campaignSection = (view: EndpointView, outcome: Outcome | undefined): Markup =>
  section(
    { id: 'address', title: setup.address, lead: setup.campaignLead },
    html`<div class="card">${campaignForm(view, outcome)}${campaignExample()}</div>`,
  );

/** What each button does to events stands beside it, before anybody presses it. */
function danger({ id, name }: Endpoint, { active }: ShownDestination): Markup {
  const whom = unseen([' (', name, ')']);
  const row = (value: string, text: Content, effect: Content, look: 'quiet' | 'danger'): Markup =>
    html`<p>${effect}</p>
      ${actionButton({ id: `${value}-${id}`, value, text: html`${text}${whom}`, busy: setup.counting, look })}`;
  const isCampaign = id === 'campaign';
  return section(
    { id: 'danger', title: setup.stop },
    html`<div class="card" id="stops" data-part>
      <form method="post">
        ${hidden('destination', id)} ${active && row('ask-pause', setup.pause, setup.pauseKeeps, 'quiet')}
        ${active && row('ask-off', setup.switchOff, setup.offLoses, 'quiet')}
        ${row(
          'ask-delete',
          isCampaign ? setup.removeAddress : setup.delete,
          isCampaign ? setup.removeLoses : setup.deleteLoses,
          'danger',
        )}
      </form>
    </div>`,
  );
}

/** A topic of the form, with its title beside its fields where there is room. */
const topic = (title: Content, fields: Content): Markup =>
  html`<div class="topic">
    <h3>${title}</h3>
    <div>${fields}</div>
  </div>`;

/** Every setting in one form, by topic. The address of the campaign webhook has the form of the specification. */
function editForm(
  { id, status }: Endpoint,
  settings: ShownDestination,
  view: EndpointView,
  outcome: Outcome | undefined,
): Markup {
  const { module, active } = settings;
  const shapeStays = html`<p class="hint">${words.shapeStays({ shape: shapeWords(settings) })}</p>`;
  const saved = savedFieldsOf(settings);
  const isTyped = outcome?.draft !== undefined && hasSettings(outcome.draft) && isOf(outcome, id);
  const typed = isTyped ? outcome.draft : undefined;
  const wanted = unlessFaulty(() => (typed === undefined ? settings : changedBy(settings, changesIn(typed, settings))));
  const shown: FieldsShown = {
    prefix: `edit-${id}`,
    saved,
    typed,
    isOutdated: outcome?.isOutdated,
    errors: isTyped ? errorsOf(outcome, saved, CHOSEN) : {},
  };
  const isCampaign = id === 'campaign';
  return html`<div id="edit-${id}" data-part${isTyped && html` data-keep`}>
    <form method="post" class="settings-form" novalidate data-guard data-tries>
      ${hidden('id', id)}${madeFrom(versionOf(saved), saved, typed)}
      ${topic(isCampaign ? words.name : setup.address, [!isCampaign && addressField(shown), nameField(shown)])}
      ${topic(
        words.events,
        typeBoxes(shown, module, module === 'campaign' ? words.ofCampaigns : words.ofMessages, true),
      )}
      ${topic(
        words.filter,
        html`<details class="example" id="edit-filter" ${isFiltered(shown) && html` open`}>
          <summary>${words.filterBy}</summary>
          ${filterFields(shown, module, true)} ${filterTrial(shown.prefix, view)}
        </details>`,
      )}
      ${topic(
        texts.endpoints.requests,
        html`<div class="grid">
          ${versionField(shown)} ${isCampaign ? shapeStays : shapeField(shown)}${limitFields(shown)}
        </div>`,
      )}
      ${topic(
        texts.endpoints.wouldGet,
        html`<div aria-live="polite">
          <div id="${shown.prefix}-would-get" data-part data-follows>
            ${
              wanted === undefined
                ? html`<p class="muted">${texts.endpoints.unclear}</p>`
                : scopeView(`scope-${id}`, wanted)
            }
          </div>
        </div>`,
      )}
      <div class="actions">
        ${saveButtons(id, active, status?.state === 'switched_off')}${previewButton(shown.prefix)}
        ${isTyped && anyway(outcome, setup.saveAnyway)}
      </div>
    </form>
  </div>`;
}

const isOf = ({ place }: Outcome, id: string): boolean => place === ofEndpoint({ id });

function saveButtons(id: string, isOn: boolean, isSwitchedOff: boolean): Content {
  const update = actionButton({
    id: `update-${id}`,
    value: 'save-endpoint',
    text: texts.shell.saveChanges,
    busy: setup.saving,
    look: isSwitchedOff ? 'quiet' : 'primary',
  });
  // The form of its address switches the campaign webhook on.
  if (id === 'campaign') return update;
  const updateAndSwitchOn = actionButton({
    id: `update-on-${id}`,
    value: 'save-endpoint-on',
    text: setup.saveAndSwitchOn,
    busy: setup.saving,
    look: isSwitchedOff ? 'primary' : 'quiet',
  });
  const switchOn = actionButton({
    id: `switch-${id}`,
    value: 'switch-on',
    text: setup.switchOn,
    busy: setup.switching,
  });
  const first = isSwitchedOff ? [updateAndSwitchOn, ' ', update] : [update, ' ', !isOn && updateAndSwitchOn];
  return [first, !isOn && switchOn];
}
