import { ALERT_ADDRESSES_MAX, ALERT_KINDS, ALERT_WEBHOOKS_MAX, LANGUAGES } from '@mailhook/core';
import type { AlertAddress, AlertChoice, AlertWebhook, Language } from '@mailhook/core';
import { actionButton, agoOf, badge, formField, hidden, section, unseen } from '../../html/elements.ts';
import { count, listOf } from '../../html/formats.ts';
import { Localized, html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { LANGUAGE_NAMES } from '../../html/reader.ts';
import { saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';
import type { Outcome } from '../../page/outcome.ts';
import { shortNames } from '../shared/endpoints.ts';
import { members } from '../shared/page-parts.ts';
import type { Frame } from '../family.ts';
import { isUnread, valueOf } from '../loaded.ts';
import type { Loaded } from '../loaded.ts';

export const ADD_ALERT = 'add-alert-address';
export const REMOVE_ALERT = 'remove-alert-address';
export const REMOVE_ALERT_WEBHOOK = 'remove-alert-webhook';
export const CHOOSE_ALERTS = 'choose-alerts';
export const TEST_ALERT = 'test-alert-webhook';

/** Between the ids in the field of the form that says which endpoints it lists. No id holds it. */
export const BETWEEN = ' ';

export interface AlertsView extends Pick<Frame, 'destinations'> {
  /** False: only webhooks get alerts. */
  readonly sendsMails: boolean;
  readonly alerts: Loaded<readonly AlertAddress[]>;
  readonly webhooks: Loaded<readonly AlertWebhook[]>;
}

/** Who gets a message when an endpoint fails, and about what. */
export function alertsContent(view: AlertsView, outcome: Outcome | undefined): Markup {
  const { alerts, webhooks, sendsMails } = view;
  const { nobody, nobodyHint, noMails, full, add, addLead, addWebhookLead } = texts.alerts;
  const unread = [alerts, webhooks].find(isUnread);
  const readers = unread ?? { value: readersIn(view) };
  const isFull =
    (!sendsMails || (valueOf(alerts) ?? []).length >= ALERT_ADDRESSES_MAX) &&
    (valueOf(webhooks) ?? []).length >= ALERT_WEBHOOKS_MAX;
  return html`<ul class="rows card flush" id="alert-list" data-part data-list>
      ${members('alerts', readers as Loaded<readonly Reader[]>, (list) =>
        list.length === 0
          ? html`<li class="empty" id="no-alerts" data-part><strong>${nobody}</strong>${nobodyHint}</li>`
          : html`${list.map((one) => item(one, view))}`,
      )}
    </ul>
    <div id="new-alert-part" data-part>
      ${section(
        { id: 'add-reader', title: add, lead: sendsMails ? addLead : [addWebhookLead, ' ', noMails] },
        isFull
          ? html`<p class="hint">${full({ max: ALERT_ADDRESSES_MAX })}</p>`
          : addForm(sendsMails, outcome?.place === 'alerts' ? outcome : undefined),
      )}
    </div>`;
}

/** An address or a webhook. */
interface Reader extends AlertChoice {
  readonly id: string;
  readonly to: string;
  readonly language: Language;
  readonly isWebhook: boolean;
  readonly isConfirmed: boolean;
  readonly lastFailure: AlertAddress['lastFailure'];
}

const readersIn = ({ alerts, webhooks }: AlertsView): readonly Reader[] => [
  ...(valueOf(alerts) ?? []).map(({ email, confirmed, ...one }) => ({
    ...one,
    to: email,
    isWebhook: false,
    isConfirmed: confirmed,
  })),
  ...(valueOf(webhooks) ?? []).map(({ address, ...one }) => ({
    ...one,
    to: address,
    isWebhook: true,
    isConfirmed: true,
  })),
];

function stateOf({ isWebhook, isConfirmed, lastFailure, kinds }: Reader, { sendsMails }: AlertsView): Markup {
  const { unconfirmed, unsent, nothing, active } = texts.alerts;
  if (!isConfirmed) return badge('warn', unconfirmed);
  if (lastFailure !== null || !(isWebhook || sendsMails)) return badge('bad', unsent);
  return kinds.length === 0 ? badge('plain', nothing) : badge('good', active);
}

function item(reader: Reader, view: AlertsView): Markup {
  const { id, to, language, isWebhook, lastFailure } = reader;
  const { alerts } = texts;
  const about = unseen([' ', to]);
  return html`<li id="alert-${id}" class="reader" data-part>
    <div class="reader-line">
      <p>
        <strong class="to">${to}</strong>
        ${stateOf(reader, view)} <span class="muted" lang="${language}">${LANGUAGE_NAMES[language]}</span>
      </p>
      <form method="post" class="actions">
        ${hidden('id', id)}${
          isWebhook &&
          actionButton({
            id: `test-alert-${id}`,
            value: TEST_ALERT,
            text: html`${alerts.test}${about}`,
            busy: texts.setup.sending,
          })
        }${actionButton({
          id: `remove-alert-${id}`,
          value: isWebhook ? REMOVE_ALERT_WEBHOOK : REMOVE_ALERT,
          text: html`${alerts.remove}${about}`,
          busy: alerts.removing,
        })}
      </form>
    </div>
    ${
      lastFailure !== null &&
      html`<p class="error">
        ${alerts.lastUnsent({ time: agoOf(lastFailure.time), reason: saidSentence(lastFailure.reason) })}
      </p>`
    }
    ${choiceForm(reader, view)}
  </li>`;
}

/** Switches per kind and per endpoint. */
function choiceForm({ id, to, kinds, muted }: Reader, view: AlertsView): Markup | false {
  const { alerts } = texts;
  const known = valueOf(view.destinations);
  // A choice that lists no endpoint would mute none.
  if (known === undefined) return false;
  const names = shortNames(view);
  const endpoints = known.map((one) => ({ id: one.id, name: names.get(one.id) }));
  const heard = endpoints.filter((one) => !muted.includes(one.id)).length;
  const isAll = kinds.length === ALERT_KINDS.length && heard === endpoints.length;
  const chosen = listOf(ALERT_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => alerts[kind]));
  const some = alerts.someOfIt({ kinds: chosen, heard: count(heard), all: count(endpoints.length) });
  const summary = kinds.length === 0 ? alerts.nothing : [alerts.gets, ': ', isAll ? alerts.allOfIt : some];
  return html`<details class="choice" id="choice-${id}">
    <summary>${summary}${unseen([' ', to])}</summary>
    <form method="post" data-keep>
      ${hidden('id', id)}${hidden('endpoints', endpoints.map((one) => one.id).join(BETWEEN))}
      <fieldset>
        <legend>${alerts.when}</legend>
        ${ALERT_KINDS.map((kind) => box(`${id}-${kind}`, `kind-${kind}`, alerts[kind], kinds.includes(kind)))}
      </fieldset>
      ${
        endpoints.length > 0 &&
        html`<fieldset>
          <legend>${alerts.about}</legend>
          ${endpoints.map((one) => box(`${id}-${one.id}`, `endpoint-${one.id}`, one.name, !muted.includes(one.id)))}
        </fieldset>`
      }
      ${actionButton({ id: `choose-${id}`, value: CHOOSE_ALERTS, text: alerts.save, busy: alerts.saving })}
    </form>
  </details>`;
}

const box = (id: string, name: string, text: Content, isChecked: boolean): Markup =>
  html`<div class="check">
    <input type="checkbox" id="box-${id}" name="${name}" value="on" ${isChecked && html`checked`} />
    <label for="box-${id}">${text}</label>
  </div>`;

const addForm = (sendsMails: boolean, outcome: Outcome | undefined): Markup =>
  html`<div class="card" id="new-alert" data-part${outcome?.isGood === false && html` data-keep`}>
    <form method="post" id="new-alert-form" novalidate data-fresh>
      <div class="pair">
        ${formField({
          id: 'alert-email',
          label: sendsMails ? texts.alerts.email : texts.alerts.webhook,
          hint: sendsMails ? texts.alerts.emailHint : texts.alerts.webhookHint,
          error: outcome?.errors?.['email'] ?? outcome?.errors?.['address'],
          control: (attributes) =>
            html`<input
              ${attributes}
              name="email"
              autocomplete="${sendsMails ? 'email' : 'url'}"
              spellcheck="false"
              value="${outcome?.draft?.['email'] ?? ''}"
            />`,
        })}${formField({
          id: 'alert-language',
          label: texts.alerts.language,
          error: outcome?.errors?.['language'],
          control: (attributes) => languageChoice(attributes, outcome?.draft?.['language']),
        })}
      </div>
      <div class="actions">
        ${actionButton({
          id: 'add-alert',
          value: ADD_ALERT,
          text: texts.alerts.add,
          busy: texts.alerts.adding,
          look: 'primary',
        })}
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
