import { ALERT_ADDRESSES_MAX, ALERT_LANGUAGES } from '@mailhook/core';
import type { AlertAddress, AlertLanguage } from '@mailhook/core';
import { actionButton, badge, formField, hidden, section, unseen } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import { members } from './page-parts.ts';
import type { View } from './view.ts';
import { valueOf } from './view.ts';

export const ADD_ALERT = 'add-alert-address';
export const REMOVE_ALERT = 'remove-alert-address';

/** Each in its own language. */
const LANGUAGE_NAMES: Readonly<Record<AlertLanguage, string>> = { en: 'English', pl: 'Polski', de: 'Deutsch' };

/** Who gets an e-mail when an endpoint fails. Nothing if this installation sends no e-mails. */
export function alertsSection({ alerts }: View, outcome: Outcome | undefined): Markup | false {
  if (alerts === undefined) return false;
  const isFull = (valueOf(alerts) ?? []).length >= ALERT_ADDRESSES_MAX;
  return section(
    {
      id: 'alerts',
      title: 'E-mail alerts',
      lead: 'An e-mail comes when an endpoint fails, works again, or is switched off. At most one per day says that an endpoint fails.',
    },
    markup`<ul class="rows card flush" id="alert-list" data-part data-list>${members('alerts', alerts, (list) =>
      list.length === 0
        ? markup`<li class="empty" id="no-alerts" data-part><strong>Nobody gets alerts</strong>Add the address of who looks after your server.</li>`
        : markup`${list.map(item)}`,
    )}</ul>
${isFull ? markup`<p class="hint">${ALERT_ADDRESSES_MAX} addresses are the most there may be.</p>` : addForm(outcome?.place === 'alerts' ? outcome : undefined)}`,
  );
}

const item = ({ id, email, language, confirmed }: AlertAddress): Markup =>
  markup`<li id="alert-${id}" data-part><p><span class="address">${email}</span> <span class="muted">${LANGUAGE_NAMES[language]}</span>
${confirmed ? badge('good', 'Gets alerts') : badge('warn', 'Waiting for confirmation')}</p>
<form method="post">${hidden('id', id)}${actionButton({
    id: `remove-alert-${id}`,
    value: REMOVE_ALERT,
    text: markup`Remove${unseen(` ${email}`)}`,
    busy: 'Removing…',
  })}</form></li>`;

const addForm = (
  outcome: Outcome | undefined,
): Markup => markup`<div class="card" id="new-alert" data-part${outcome?.isGood === false && markup` data-keep`}>
<form method="post" id="new-alert-form" novalidate>
<div class="pair">${formField({
  id: 'alert-language',
  label: 'Language',
  error: outcome?.errors?.['language'],
  control: (attributes) =>
    markup`<select ${attributes} name="language">${ALERT_LANGUAGES.map(
      (one) =>
        markup`<option value="${one}"${one === (outcome?.draft?.['language'] ?? 'en') && markup` selected`}>${LANGUAGE_NAMES[one]}</option>`,
    )}</select>`,
})}${formField({
  id: 'alert-email',
  label: 'E-mail address',
  hint: 'It gets an e-mail with a link, and alerts only after its owner has confirmed them there.',
  error: outcome?.errors?.['email'],
  control: (attributes) =>
    markup`<input ${attributes} name="email" type="email" autocomplete="email" value="${outcome?.draft?.['email'] ?? ''}">`,
})}</div>
<div class="actions">${actionButton({ id: 'add-alert', value: ADD_ALERT, text: 'Add address', busy: 'Adding…' })}</div>
</form></div>`;
