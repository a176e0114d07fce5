import { SUBSCRIPTIONS_PER_TYPE_MAX, subscriptionType } from '@mailhook/core';
import type { DestinationHistory, DestinationStatus, Subscription } from '@mailhook/core';
import {
  actionButton,
  badge,
  formField,
  hidden,
  notice,
  PAGE_PATH,
  section,
  timeOf,
  unseen,
} from '../html/elements.ts';
import { members, outcomeArea, unroutedHint } from './page-parts.ts';
import { lossNote, offForm, pauseForm, stateBadge, stateNotice } from './destination-state.ts';
import { notificationExample } from './examples.ts';
import { loginLinks } from './login-section.ts';
import { historyPicture } from './history-picture.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import { receiverReport } from './receiver-report.ts';
import { testTraffic } from './request-reply.ts';
import type { View } from './view.ts';
import { LISTED_MAX, valueOf } from './view.ts';

/** The account's subscriptions. Each sends one event type to one address. */
export function subscriptionsSection(view: View, answer: Outcome | undefined): Markup {
  const outcome = placed(answer, (valueOf(view.subscriptions) ?? []).slice(0, LISTED_MAX));
  return section(
    {
      id: 'subscriptions',
      title: 'Subscriptions',
      lead: 'Opens, clicks and bounces of transactional messages, one notification per request. Any 2xx answer confirms it.',
    },
    markup`${outcomeArea('subscriptions', outcome)}
${unroutedHint('subscriptions', view, subscriptionType.options)}
<ul class="cards" id="subscription-list" data-part data-list>${members('subscriptions', view.subscriptions, (list) => items(list, view, outcome))}</ul>
<div class="card" id="new-subscription" data-part${
      outcome?.place === 'new-subscription' && outcome.draft !== undefined && markup` data-keep`
    }><h3>Add a subscription</h3><p class="hint">Up to ${SUBSCRIPTIONS_PER_TYPE_MAX} of each event.</p>${addForm(outcome)}${notificationExample()}</div>`,
  );
}

function items(list: readonly Subscription[], view: View, outcome: Outcome | undefined): Markup {
  if (list.length === 0) {
    return markup`<li class="empty" id="no-subscriptions" data-part><strong>No subscriptions yet</strong>Add one below for each event that your server wants to hear of.</li>`;
  }
  const histories = valueOf(view.history);
  const statuses = valueOf(view.statuses);
  const more = markup`<li class="empty" id="more-subscriptions" data-part>These are the first ${LISTED_MAX} of ${list.length}. <a href="/docs">The API</a> lists all of them.</li>`;
  return markup`${list.slice(0, LISTED_MAX).map((one) =>
    item({
      subscription: one,
      history: histories?.get(one.id),
      status: statuses?.get(one.id),
      view,
      outcome: outcome?.place === `subscription-${one.id}` ? outcome : undefined,
    }),
  )}${list.length > LISTED_MAX && more}`;
}

/** Moves the outcome of a subscription that the list does not show above the list. */
function placed(outcome: Outcome | undefined, listed: readonly Subscription[]): Outcome | undefined {
  if (outcome?.place.startsWith('subscription-') !== true) return outcome;
  const isListed = listed.some(({ id }) => outcome.place === `subscription-${id}`);
  return isListed ? outcome : { ...outcome, place: 'subscriptions' };
}

interface ItemOptions {
  readonly subscription: Subscription;
  readonly history: DestinationHistory | undefined;
  readonly status: DestinationStatus | undefined;
  readonly view: View;
  readonly outcome: Outcome | undefined;
}

function item({ subscription, history, status, view, outcome }: ItemOptions): Markup {
  const { id, address, type, active } = subscription;
  const place = `subscription-${id}` as const;
  return markup`<li class="card subscription" id="${place}" data-part${isEdit(outcome) && markup` data-keep`}>
<div class="title"><h3><span class="type">${type}</span> <span class="address">${address}</span></h3>${stateBadge(
    id,
    view,
    active ? badge('plain', 'On') : badge('warn', 'Off'),
  )}</div>
${stateNotice(id, view)}
${
  status?.goneAt !== undefined &&
  notice(
    'bad',
    markup`<strong>Mailhook switched this off: your server answered 410 Gone</strong> (${timeOf(status.goneAt)}). Press “Edit”, enter the address that is used now, then “Update and switch on”.`,
  )
}
${historyPicture(id, history, status)}
<div class="actions">
${quickForm(subscription, outcome)}
${active && pauseForm(id, forWhom(subscription))}
${active && offForm(id, status, 'switch-off', forWhom(subscription))}
${loginLinks(view.question, id, forWhom(subscription))}
${editForm(subscription, outcome)}
${deleteForm(subscription, status)}
</div>
${outcomeArea(place, outcome)}
${outcome?.traffic !== undefined && testTraffic(outcome.traffic)}
${outcome?.report !== undefined && receiverReport(outcome.report)}
</li>`;
}

const isEdit = (outcome: Outcome | undefined): boolean =>
  outcome?.draft?.['do']?.startsWith('edit-subscription') === true;

/** Names a button's subscription for screen readers, because several buttons have the same text. */
const forWhom = ({ type, address }: Subscription): Markup => unseen(` (${type}, ${address})`);

function quickForm(subscription: Subscription, outcome: Outcome | undefined): Markup {
  const { id, address, type, active } = subscription;
  const tested = outcome?.draft?.['do'] === 'test-subscription' ? outcome.draft['type'] : undefined;
  const whom = forWhom(subscription);
  return markup`<form method="post" action="${PAGE_PATH}" class="row">${hidden('id', id)}${hidden('address', address)}
<select name="type" aria-label="Type of the test">${typeOptions(tested ?? type)}</select>
${actionButton({ id: `test-${id}`, value: 'test-subscription', text: markup`Send test notification${whom}`, busy: 'Sending…' })}
${actionButton({ id: `check-${id}`, value: 'check-subscription', text: markup`Check this receiver${whom}`, busy: 'Checking, up to a minute…' })}
${!active && actionButton({ id: `switch-${id}`, value: 'switch-on', text: markup`Switch on${whom}`, busy: 'Switching…' })}</form>`;
}

function editForm(subscription: Subscription, outcome: Outcome | undefined): Markup {
  const { id, address, type, active } = subscription;
  const typed = isEdit(outcome) ? outcome?.draft : undefined;
  return markup`<details id="edit-${id}"${typed !== undefined && markup` open`}><summary class="button quiet">Edit${forWhom(subscription)}</summary>
<form method="post" action="${PAGE_PATH}" class="inset" novalidate>${hidden('id', id)}
${eventAndAddress({
  prefix: `edit-${id}`,
  type: typed?.['type'] ?? type,
  address: typed?.['address'] ?? address,
  errors: typed === undefined ? undefined : outcome?.errors,
})}
<div class="actions">
${!active && actionButton({ id: `update-on-${id}`, value: 'edit-subscription-on', text: 'Update and switch on', busy: 'Updating…', look: 'primary' })}
${actionButton({ id: `update-${id}`, value: 'edit-subscription', text: 'Update', busy: 'Updating…', look: active ? 'primary' : 'quiet' })}
${typed !== undefined && anyway(outcome, 'Update anyway')}</div>
</form></details>`;
}

/** The button that goes on after a question, if the outcome asks one. */
const anyway = (outcome: Outcome | undefined, text: string): Markup | false =>
  outcome?.question !== undefined &&
  actionButton({ id: 'anyway', value: outcome.question, text, busy: 'Saving…', look: 'danger' });

function deleteForm(subscription: Subscription, status: DestinationStatus | undefined): Markup {
  const { id, active } = subscription;
  return markup`<details id="delete-${id}"><summary class="button quiet">Delete${forWhom(subscription)}</summary>
<form method="post" action="${PAGE_PATH}" class="inset">${hidden('id', id)}
<p>This cannot be undone.${active && ' To keep the subscription, pause it: its events are kept. Or switch it off: waiting events become dead letters, and new ones are not kept.'}</p>${lossNote('delete', id, status)}
<div class="actions">${actionButton({ id: `confirm-delete-${id}`, value: 'delete-subscription', text: 'Delete subscription', busy: 'Deleting…', look: 'danger' })}</div>
</form></details>`;
}

function addForm(outcome: Outcome | undefined): Markup {
  const own = outcome?.place === 'new-subscription' ? outcome : undefined;
  return markup`<form method="post" action="${PAGE_PATH}" id="new-subscription-form" novalidate>
${eventAndAddress({
  prefix: 'new',
  type: own?.draft?.['type'] ?? 'open',
  address: own?.draft?.['address'] ?? '',
  errors: own?.errors,
})}
<div class="actions">
${actionButton({ id: 'new-add', value: 'create-subscription', text: 'Add subscription', busy: 'Adding…', look: 'primary' })}
${actionButton({ id: 'new-test', value: 'test-new-subscription', text: 'Try it first', busy: 'Sending…' })}
${anyway(own, 'Add anyway')}
</div>
</form>
${outcomeArea('new-subscription', outcome)}
${own?.traffic !== undefined && testTraffic(own.traffic)}`;
}

const typeOptions = (selected: string): Markup =>
  markup`${subscriptionType.options.map(
    (one) => markup`<option value="${one}"${one === selected && markup` selected`}>${one}</option>`,
  )}`;

interface PairOptions {
  readonly prefix: string;
  readonly type: string;
  readonly address: string;
  readonly errors: Readonly<Record<string, string>> | undefined;
}

function eventAndAddress({ prefix, type, address, errors }: PairOptions): Markup {
  return markup`<div class="pair">${formField({
    id: `${prefix}-type`,
    label: 'Event',
    error: errors?.['type'],
    control: (attributes) => markup`<select ${attributes} name="type">${typeOptions(type)}</select>`,
  })}
${formField({
  id: `${prefix}-address`,
  label: 'Receiver address',
  error: errors?.['address'],
  control: (attributes) =>
    markup`<input ${attributes} class="address" name="address" type="url" inputmode="url" autocomplete="off" spellcheck="false" value="${address}" placeholder="https://">`,
})}</div>`;
}
