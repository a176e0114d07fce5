import { ALERT_ADDRESSES_MAX, LANGUAGES } from '@mailhook/core';
import type { AlertAddress } from '@mailhook/core';
import { actionButton, badge, formField, hidden, unseen } from '../../html/elements.ts';
import { Localized, html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { LANGUAGE_NAMES } from '../../html/reader.ts';
import { texts } from '../../messages/texts.ts';
import type { Outcome } from '../../page/outcome.ts';
import { members } from '../shared/page-parts.ts';
import { valueOf } from '../loaded.ts';
import type { Loaded } from '../loaded.ts';

export const ADD_ALERT = 'add-alert-address';
export const REMOVE_ALERT = 'remove-alert-address';

export interface AlertsView {
  readonly alerts: Loaded<readonly AlertAddress[]> | undefined;
}

/** Who gets an e-mail when an endpoint fails. */
export function alertsContent({ alerts }: AlertsView, outcome: Outcome | undefined): Markup {
  if (alerts === undefined) return html`<p class="empty card">${texts.alerts.noMails}</p>`;
  const isFull = (valueOf(alerts) ?? []).length >= ALERT_ADDRESSES_MAX;
  const { nobody, nobodyHint, full } = texts.alerts;
  return html`<ul class="rows card flush" id="alert-list" data-part data-list>
      ${members('alerts', alerts, (list) =>
        list.length === 0
          ? html`<li class="empty" id="no-alerts" data-part><strong>${nobody}</strong>${nobodyHint}</li>`
          : html`${list.map(item)}`,
      )}
    </ul>
    <div id="new-alert-part" data-part>
      ${
        isFull
          ? html`<p class="hint">${full({ max: ALERT_ADDRESSES_MAX })}</p>`
          : addForm(outcome?.place === 'alerts' ? outcome : undefined)
      }
    </div>`;
}

const item = ({ id, email, language, confirmed }: AlertAddress): Markup =>
  html`<li id="alert-${id}" data-part>
    <p>
      <span class="address">${email}</span>
      <span class="muted" lang="${language}">${LANGUAGE_NAMES[language]}</span>
      ${confirmed ? badge('good', texts.alerts.active) : badge('warn', texts.alerts.unconfirmed)}
    </p>
    <form method="post">
      ${hidden('id', id)}${actionButton({
        id: `remove-alert-${id}`,
        value: REMOVE_ALERT,
        text: html`${texts.alerts.remove}${unseen(` ${email}`)}`,
        busy: texts.alerts.removing,
      })}
    </form>
  </li>`;

const addForm = (outcome: Outcome | undefined): Markup =>
  html`<div class="card" id="new-alert" data-part${outcome?.isGood === false && html` data-keep`}>
    <form method="post" id="new-alert-form" novalidate data-fresh>
      <div class="pair">
        ${formField({
          id: 'alert-language',
          label: texts.alerts.language,
          error: outcome?.errors?.['language'],
          control: (attributes) => languageChoice(attributes, outcome?.draft?.['language']),
        })}${formField({
          id: 'alert-email',
          label: texts.alerts.email,
          hint: texts.alerts.emailHint,
          error: outcome?.errors?.['email'],
          control: (attributes) =>
            html`<input
              ${attributes}
              name="email"
              type="email"
              autocomplete="email"
              value="${outcome?.draft?.['email'] ?? ''}"
            />`,
        })}
      </div>
      <div class="actions">
        ${actionButton({ id: 'add-alert', value: ADD_ALERT, text: texts.alerts.add, busy: texts.alerts.adding })}
      </div>
    </form>
  </div>`;

/** Offers the language of the page first. */
const languageChoice = (attributes: Markup, draft: string | undefined): Markup =>
  html`<select ${attributes} name="language">
    ${LANGUAGES.map(
      (one) =>
        html`<option
          value="${one}"
          lang="${one}"
          ${new Localized(({ language }) => one === (draft ?? language) && html`selected`)}
        >
          ${LANGUAGE_NAMES[one]}
        </option>`,
    )}
  </select>`;
