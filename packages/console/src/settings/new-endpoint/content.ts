import { EVENT_TYPES, namesOf, settingsFaults } from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import { actionButton, formField } from '../../html/elements.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Outcome } from '../../page/outcome.ts';
import {
  addressField,
  anyway,
  filterFields,
  limitFields,
  moduleField,
  nameField,
  shapeField,
  typeBoxes,
  typeField,
  versionField,
} from '../shared/endpoint-fields.ts';
import type { FieldsShown } from '../shared/endpoint-fields.ts';
import { NEW_FIELDS, newEndpointIn, PREVIEW, settingsOfNew } from '../shared/endpoint-form.ts';
import { filterTrial, unlessRefused } from '../shared/filter-trial.ts';
import type { WithTrial } from '../shared/filter-trial.ts';
import { testResults } from '../shared/page-parts.ts';
import { scopeView } from '../shared/scope.ts';
import type { Scoped } from '../shared/scope.ts';

const { endpoints: words, fields } = texts;

/**
 * The form for a new endpoint: the specification's subscription at first sight, an event and an address, and a name.
 * All other settings are further choices.
 */
export function newEndpoint(view: WithTrial, outcome: Outcome | undefined): Markup {
  const own = outcome?.place === 'new-endpoint' ? outcome : undefined;
  const shown: FieldsShown = { prefix: 'new', saved: NEW_FIELDS, typed: own?.draft, errors: own?.errors ?? {} };
  const wanted = scopeIn(own?.draft ?? {});
  return html`<div class="card" id="new-endpoint" data-part${own?.draft !== undefined && html` data-keep`}>
    <form method="post" id="new-endpoint-form" class="settings-form" novalidate data-guard data-tries>
      <div class="pair">${typeField(shown)} ${addressField(shown)}</div>
      ${nameField(shown)} ${furtherChoices(shown, view)}
      <div class="actions">${buttons()}${anyway(own, words.addAnyway)}</div>
    </form>
    ${testResults(own)}
    <h2>${words.wouldGet}</h2>
    ${wanted === undefined ? html`<p class="muted">${words.unclear}</p>` : scopeView('new-scope', wanted)}
  </div>`;
}

const buttons = (): Markup =>
  html`${actionButton({
    id: 'new-add',
    value: 'create-subscription',
    text: html`${icon('add')}${words.add}`,
    busy: words.adding,
    look: 'primary',
  })}
  ${actionButton({ id: 'new-test', value: 'test-new-endpoint', text: words.tryFirst, busy: texts.setup.sending })}
  ${actionButton({ id: 'new-preview', value: PREVIEW, text: words.preview, busy: texts.states.reading })}`;

function furtherChoices(shown: FieldsShown, view: WithTrial): Markup {
  return html`<details class="example" id="new-more" ${isMoreTyped(shown.typed) && html` open`}>
    <summary>${words.more}</summary>
    ${moduleField(shown)} ${typeBoxes(shown, undefined, fields.instead)}
    <div class="grid">
      ${versionField(shown, fields.usualVersion)}${shapeField(shown, fields.usualShape)}${limitFields(shown)}
    </div>
    ${filterFields(shown, undefined)} ${filterTrial(shown.prefix, view)} ${testType(shown)}
  </details>`;
}

const testType = ({ typed }: FieldsShown): Markup =>
  formField({
    id: 'new-test-type',
    label: words.tryType,
    control: (attributes) =>
      html`<select ${attributes} name="testType" data-saved="">
        <option value="">${words.firstType}</option>
        ${namesOf(EVENT_TYPES).map(
          (one) => html`<option value="${one}" ${one === typed?.['testType'] && html`selected`}>${one}</option>`,
        )}
      </select>`,
  });

const AT_FIRST_SIGHT = ['type', 'address', 'name'];

/** Whether a form was sent with more than what stands at first sight. */
const isMoreTyped = (typed: FormFields = {}): boolean =>
  Object.entries(NEW_FIELDS).some(
    ([name, value]) => !AT_FIRST_SIGHT.includes(name) && (typed[name] ?? value) !== value,
  );

/** What the typed endpoint would get. Undefined while its fields have faults, except in its address. */
export const scopeIn = (typed: FormFields): Scoped | undefined =>
  unlessRefused(() => {
    const settings = settingsOfNew(newEndpointIn({ ...NEW_FIELDS, ...typed, address: 'https://example.com/' }));
    return settingsFaults(settings.module, settings).length > 0 ? undefined : settings;
  });
