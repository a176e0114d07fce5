import { subscriptionType } from '@mailhook/core';
import { actionButton, formField } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Outcome } from '../../page/outcome.ts';

type Errors = Outcome['errors'];

export const typeOptions = (selected: string): Markup =>
  html`${subscriptionType.options.map(
    (one) => html`<option value="${one}" ${one === selected && html`selected`}>${one}</option>`,
  )}`;

/** The fields of a subscription. `prefix`: of their ids. `saved`: the stored value, if there is one. */
export const typeField = (prefix: string, type: string, errors: Errors, saved = 'open'): Markup =>
  formField({
    id: `${prefix}-type`,
    label: texts.setup.event,
    error: errors?.['type'],
    control: (attributes) =>
      html`<select ${attributes} name="type" data-saved="${saved}">
        ${typeOptions(type)}
      </select>`,
  });

export const addressField = (prefix: string, address: string, errors: Errors, saved = ''): Markup =>
  formField({
    id: `${prefix}-address`,
    label: texts.setup.receiverAddress,
    error: errors?.['address'],
    control: addressInput(address, saved),
  });

/** The control of a field for a receiver's address. `saved`: the stored one. */
export const addressInput = (address: string, saved: string) => (attributes: Markup) =>
  html`<input
    ${attributes}
    class="address"
    name="address"
    type="url"
    inputmode="url"
    autocomplete="off"
    spellcheck="false"
    data-saved="${saved}"
    value="${address}"
    placeholder="https://"
  />`;

/** The button that goes on after a question, if the outcome asks one. */
export const anyway = (outcome: Outcome | undefined, text: Content): Markup | false =>
  outcome?.question !== undefined &&
  actionButton({ id: 'anyway', value: outcome.question, text, busy: texts.setup.saving, look: 'danger' });
