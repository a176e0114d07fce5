import { destinationIdOf, endpointKey, formatCount, operatorName } from '@mailhook/core';
import type { Account, AuditEntry } from '@mailhook/core';
import { agoOf, masked, timeOf, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { fieldChanges } from '../../page/field-changes.ts';
import { nextLink } from '../accounts/content.ts';
import { accountLink } from '../destinations/destination-table.ts';
import { destinationUrl, pageUrl } from '../navigation.ts';
import type { PageQuery } from '../navigation.ts';
import type { Names } from '../view.ts';
import { spoken } from './words.ts';

interface AuditPage {
  readonly items: readonly AuditEntry[];
  readonly nextCursor?: string | undefined;
}

/** Entries that differ only in their object, one after the other, are one row. */
type Row = readonly [AuditEntry, ...AuditEntry[]];

/** From this number on. */
const GROUPED = 3;

/** Who changed what, newest first. `isOfAccount`: without a column of accounts. */
export const auditTable = (items: readonly AuditEntry[], names: Names, isOfAccount = false): Markup =>
  html`<div class="card flush" id="actions-now" data-part>
    ${
      items.length === 0
        ? html`<p class="empty"><strong>None</strong>No such action in the last 90 days.</p>`
        : html`<table class="table static audit">
            <caption class="unseen">
              Actions
            </caption>
            <thead>
              <tr>
                <th scope="col">Action</th>
                ${!isOfAccount && html`<th scope="col">Account</th>`}
                <th scope="col">By</th>
                <th scope="col" class="of-time">Time</th>
              </tr>
            </thead>
            <tbody>
              ${rowsOf(items).map((row) => auditRow(row, names, isOfAccount))}
            </tbody>
          </table>`
    }
  </div>`;

function rowsOf(items: readonly AuditEntry[]): readonly Row[] {
  const runs: [AuditEntry, ...AuditEntry[]][] = [];
  for (const entry of items) {
    const last = runs.at(-1);
    if (last !== undefined && kindOf(last[0]) === kindOf(entry)) last.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run): Row[] => (run.length < GROUPED ? run.map((entry): Row => [entry]) : [run]));
}

const kindOf = ({ action, account, actor, via, token, person, client }: AuditEntry): string =>
  JSON.stringify([action, account, actor, via, token, person, client]);

const auditRow = ([entry, ...older]: Row, names: Names, isOfAccount: boolean): Markup =>
  html`<tr>
    <th scope="row">${older.length === 0 ? whatOf(entry, names) : whatOfAll([entry, ...older], names)}</th>
    ${!isOfAccount && html`<td>${entry.account !== undefined && accountLink(entry.account, names)}</td>`}
    <td>${whoText(entry)}<span class="why">${howText(entry)}</span></td>
    <td>${agoOf(entry.time)}<span class="why wide">${timeOf(entry.time)}</span></td>
  </tr>`;

function whatOf(entry: AuditEntry, names: Names): Markup {
  const { action } = spoken(entry);
  return html`${masked(action)} ${objectOf(entry, names)} ${changesOf(entry, names)}`;
}

/** Each with its object and what changed, behind one line. */
const whatOfAll = (entries: Row, names: Names): Markup =>
  html`${masked(spoken(entries[0]).action)} <span class="muted">${formatCount(entries.length)} times</span>
    <details class="changed-of">
      <summary>Show each${unseen([': ', masked(spoken(entries[0]).action)])}</summary>
      <ul class="each">
        ${entries.map((one) => html`<li>${objectOf(one, names)} ${timeOf(one.time)} ${changesOf(one, names)}</li>`)}
      </ul>
    </details>`;

const changesOf = ({ changes, object, account = '' }: AuditEntry, names: Names): Content =>
  fieldChanges(changes, object, (id) => names.get(endpointKey(destinationIdOf(account, id))));

/** A destination by its name, with a link to its page. */
function objectOf(entry: AuditEntry, names: Names): Content {
  const { object, isDestination } = spoken(entry);
  if (object === undefined || object === entry.account) return undefined;
  if (!isDestination || entry.account === undefined) return html`<span class="muted">${masked(object)}</span>`;
  const id = destinationIdOf(entry.account, object);
  const name = names.get(endpointKey(id));
  return html`<a href="${destinationUrl(id)}">${name === undefined ? html`<code>${id}</code>` : masked(name)}</a>`;
}

/** The person of a sign-in proxy is no recipient, so the address is shown whole. */
function whoText({ actor, token = '', person }: AuditEntry): string {
  if (actor === 'customer') return 'The customer';
  const name = operatorName({ token: masked(token), person });
  return name === '' ? 'An operator' : `Operator ${name}`;
}

function howText({ actor, via, token, client }: AuditEntry): string {
  const by = actor === 'customer' && token !== undefined ? `token ${masked(token)}` : undefined;
  const parts = [via, by, client === undefined ? undefined : `from ${client}`];
  return parts.filter((one) => one !== undefined).join(', ');
}

/** Links to the other accounts with the name. */
const otherAccounts = ([first, ...others]: readonly Account[], query: PageQuery): Content =>
  first !== undefined &&
  others.length > 0 &&
  html`<p class="hint">
    Of ${first.name} <code>${first.id}</code>. The name also fits
    ${others.map(
      ({ id, name }, i) =>
        html`${i > 0 && ', '}<a href="${pageUrl('audit', '', { ...query, account: id, cursor: '' })}">${name}</a>`,
    )}.
  </p>`;

/** Of Bull Board: its entries are the paths of requests. */
const ON_BOARD = '/queues';

/** A form that filters, and the page of entries that match. `accounts`: the first is shown, the others match too. */
export function auditContent(
  { items, nextCursor }: AuditPage,
  query: PageQuery,
  accounts: readonly Account[],
  names: Names,
): Markup {
  const { account = '', actor = '', action = '' } = query;
  const kinds = [
    ...new Set([...Object.keys(texts.actions), ...(action === '' || action === ON_BOARD ? [] : [action])]),
  ].sort();
  const choice = (
    name: string,
    label: string,
    chosen: string,
    options: readonly (readonly [string, string])[],
  ): Markup =>
    html`<div class="field">
      <label for="${name}">${label}</label
      ><select id="${name}" name="${name}">
        ${options.map(
          ([value, text]) => html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`,
        )}
      </select>
    </div>`;
  return html`<form class="find row" method="get" action="${pageUrl('audit')}" data-plain>
      ${choice('action', 'Action', action, [
        ['', 'Any'],
        ...kinds.map((kind) => [kind, spoken({ action: kind }).action] as const),
        [ON_BOARD, 'On Bull Board'],
      ])}
      ${choice('actor', 'By', actor, [
        ['', 'Anybody'],
        ['customer', 'The customer'],
        ['operator', 'An operator'],
      ])}
      <div class="field">
        <label for="account">Account, by name or id</label
        ><input id="account" name="account" value="${account}" maxlength="200" autocomplete="off" />
      </div>
      <button class="button quiet">Filter</button>
    </form>
    ${otherAccounts(accounts, query)}
    ${auditTable(items, names)}${nextLink('audit', nextCursor, { account, actor, action })}`;
}
