import { EVENT_TYPES, namesOf } from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import { actionButton, formField } from '../../html/elements.ts';
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
  versionField,
} from '../shared/endpoint-fields.ts';
import type { FieldsShown } from '../shared/endpoint-fields.ts';
import { BOXES, checkedTypes, NEW_FIELDS, newEndpointIn, settingsOfNew } from '../shared/endpoint-form.ts';
import { filterTrial, previewButton, unlessFaulty } from '../shared/filter-trial.ts';
import type { WithTrial } from '../shared/filter-trial.ts';
import { testResults } from '../shared/page-parts.ts';
import { scopeView } from '../shared/scope.ts';
import type { Scoped } from '../shared/scope.ts';

const { endpoints: words, fields } = texts;

/**
 * The form for a new endpoint: its address and its types at first sight. All other settings are further choices.
 * What its server will get follows the fields (`filter-trial.js`).
 */
export function newEndpoint(view: WithTrial, outcome: Outcome | undefined): Markup {
  const own = outcome?.place === 'new-endpoint' ? outcome : undefined;
  const shown: FieldsShown = { prefix: 'new', saved: NEW_FIELDS, typed: own?.draft, errors: own?.errors ?? {} };
  return html`<div class="card" id="new-endpoint" data-part${own?.draft !== undefined && html` data-keep`}>
    <form method="post" id="new-endpoint-form" class="settings-form" novalidate data-guard data-tries>
      ${addressField(shown)}
      <div class="grid">${nameField(shown)} ${moduleField(shown)}</div>
      ${typeBoxes(shown, undefined, fields.choose)} ${furtherChoices(shown, view)}
      <div class="actions">${buttons()}${anyway(own, words.createAnyway)}</div>
    </form>
    ${testResults(own)}
    <div class="would-get">
      <div aria-live="polite">
        <h2>${words.wouldGet}</h2>
        <p class="hint" data-without-script>${words.asOfPreview}</p>
        <div id="new-would-get" data-part data-follows>${wouldGet(own?.draft ?? {})}</div>
      </div>
    </div>
  </div>`;
}

function wouldGet(typed: FormFields): Markup {
  const wanted = scopeIn(typed);
  if (wanted !== undefined) return html`${bodyNote(wanted, typed)}${scopeView('new-scope', wanted, { isOpen: true })}`;
  return html`<p class="muted">${checkedTypes(typed).length === 0 ? words.chooseFirst : words.unclear}</p>`;
}

/** What the automatic choice of a version means for the recipient's address. */
function bodyNote({ module, version }: Scoped, typed: FormFields): Markup | false {
  const isChosen = (typed['version'] ?? '') !== '';
  if (version === 2) return !isChosen && html`<p class="hint">${words.bodyNeedsVersion2}</p>`;
  return module === 'transactional_email' && html`<p class="hint">${words.bodyWithoutRecipient}</p>`;
}

const buttons = (): Markup =>
  html`${actionButton({
    id: 'new-add',
    value: 'create-subscription',
    text: words.create,
    busy: words.creating,
    look: 'primary',
  })}
  ${actionButton({ id: 'new-test', value: 'test-new-endpoint', text: words.tryFirst, busy: texts.setup.sending })}
  ${previewButton('new')}`;

function furtherChoices(shown: FieldsShown, view: WithTrial): Markup {
  return html`<details class="example" id="new-more" ${isMoreTyped(shown.typed) && html` open`}>
    <summary>${words.more}</summary>
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

const AT_FIRST_SIGHT = ['address', 'name', 'module', ...BOXES];

/** Whether a form was sent with more than what stands at first sight. */
const isMoreTyped = (typed: FormFields = {}): boolean =>
  Object.entries(NEW_FIELDS).some(
    ([name, value]) => !AT_FIRST_SIGHT.includes(name) && (typed[name] ?? value) !== value,
  );

/** What the typed endpoint would get. Undefined while its fields have faults, except in its address. */
export const scopeIn = (typed: FormFields): Scoped | undefined =>
  unlessFaulty(() => settingsOfNew(newEndpointIn({ ...NEW_FIELDS, ...typed, address: 'https://example.com/' })));
