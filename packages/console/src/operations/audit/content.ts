import type { AuditEntry } from '@mailhook/core';
import { agoOf, masked } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { fieldChanges } from '../../page/field-changes.ts';
import { nextLink } from '../accounts/content.ts';
import { accountLink } from '../destinations/destination-table.ts';
import { pageUrl } from '../navigation.ts';
import type { PageQuery } from '../navigation.ts';
import type { Names } from '../view.ts';

interface AuditPage {
  readonly items: readonly AuditEntry[];
  readonly nextCursor?: string | undefined;
}

/** Who changed what, newest first. */
export const auditTable = (items: readonly AuditEntry[], names: Names): Markup =>
  html`<div class="card flush" id="actions-now" data-part>
    ${
      items.length === 0
        ? html`<p class="empty"><strong>None</strong>Nothing was changed in the last 90 days.</p>`
        : html`<table class="table static">
            <caption class="unseen">
              Actions
            </caption>
            <thead>
              <tr>
                <th scope="col">Action</th>
                <th scope="col" class="wide">Account</th>
                <th scope="col">By</th>
                <th scope="col" class="of-time">Time</th>
              </tr>
            </thead>
            <tbody>
              ${items.map((entry) => auditRow(entry, names))}
            </tbody>
          </table>`
    }
  </div>`;

const auditRow = (entry: AuditEntry, names: Names): Markup =>
  html`<tr>
    <th scope="row">
      ${masked(entry.action)}${entry.object !== undefined && html` <code class="muted">${masked(entry.object)}</code>`}
      ${fieldChanges(entry.changes, entry.object)}
    </th>
    <td class="wide">${entry.account !== undefined && accountLink(entry.account, names)}</td>
    <td>
      ${entry.actor === 'operator' ? 'An operator' : 'The customer'},
      ${entry.via}${originText(entry)}${
        entry.client !== undefined && html`<span class="muted from">from ${entry.client}</span>`
      }
    </td>
    <td>${agoOf(entry.time)}</td>
  </tr>`;

/** The person of a sign-in proxy is no recipient, so the address is shown whole. */
function originText({ person, token }: AuditEntry): string {
  const named = [person, token === undefined ? undefined : masked(`token ${token}`)].filter((one) => one !== undefined);
  return named.length === 0 ? '' : ` (${named.join(' via ')})`;
}

/** A form that filters, and the page of entries that match. */
export function auditContent({ items, nextCursor }: AuditPage, query: PageQuery, names: Names): Markup {
  const { account = '', actor = '', action = '' } = query;
  const option = (value: string, text: string): Markup =>
    html`<option value="${value}" ${value === actor && html`selected`}>${text}</option>`;
  return html`<form class="find row" method="get" action="${pageUrl('audit')}" data-plain>
      <div class="field">
        <label for="account">Account id</label
        ><input id="account" name="account" value="${account}" maxlength="64" autocomplete="off" />
      </div>
      <div class="field">
        <label for="actor">By</label
        ><select id="actor" name="actor">
          ${option('', 'anybody')}${option('customer', 'the customer')}${option('operator', 'an operator')}
        </select>
      </div>
      <div class="field">
        <label for="action">Action contains</label
        ><input id="action" name="action" value="${action}" maxlength="100" autocomplete="off" />
      </div>
      <button class="button quiet">Filter</button>
    </form>
    ${auditTable(items, names)}${nextLink('audit', nextCursor, { account, actor, action })}`;
}
