import { bytesText, formatCount, percentText } from '@mailhook/core';
import type { Account, AccountRow, SearchResult } from '@mailhook/core';
import { badge, formField, masked, notice, section } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { destinationTable } from '../destinations/destination-table.ts';
import { buttonForm } from '../forms.ts';
import { accountUrl, pageUrl } from '../navigation.ts';
import type { PageContext } from '../view.ts';

/** Finds accounts and destinations. */
export const findForm = (text: string): Markup =>
  html`<form class="find row" method="get" action="${pageUrl('accounts')}" data-plain>
    <div class="field">
      <label for="find">Account or destination: part of a name or address, or beginning of an id</label>
      <input id="find" name="find" type="search" value="${text}" maxlength="200" autocomplete="off" required />
    </div>
    <button class="button quiet">Find</button>
  </form>`;

/** What accounts keep. `id` names the table on its page. */
export const accountsTable = (id: string, rows: readonly AccountRow[], none: string): Markup =>
  html`<div class="card flush" id="${id}" data-part>
    ${
      rows.length === 0
        ? html`<p class="empty"><strong>None</strong>${none}</p>`
        : html`<table class="table">
            <caption class="unseen">
              Accounts
            </caption>
            <thead>
              <tr>
                <th scope="col">Account</th>
                <th scope="col" class="number">Events kept</th>
                <th scope="col" class="number wide">Size</th>
                <th scope="col" class="number wide">Dead letters</th>
                <th scope="col" class="number wide">Delivered in 24 h</th>
                <th scope="col" class="number wide">Failed in 24 h</th>
                <th scope="col" class="of-state">Limit</th>
              </tr>
            </thead>
            <tbody>
              ${rows.map(row)}
            </tbody>
          </table>`
    }
  </div>`;

const row = (account: AccountRow): Markup =>
  html`<tr>
    <th scope="row">
      <a class="whole" href="${accountUrl(account.id)}">${account.name ?? account.id}</a>
      <span class="address muted" title="${account.id}">${account.id}</span>
    </th>
    ${figure('Events kept', account.events, '')} ${figure('Size', account.bytes, 'wide', bytesText)}
    ${figure('Dead letters', account.deadLetters)} ${figure('Delivered', account.delivered)}
    ${figure('Failed', account.failed)}
    <td>${shareText(account)}</td>
  </tr>`;

/** A number of a row. None is a dash, so that the others stand out. */
const figure = (name: string, value: number, look = 'wide', text = formatCount): Markup =>
  html`<td class="number ${look}${value === 0 && ' muted none'}" data-name="${name}">
    ${value === 0 ? '–' : text(value)}
  </td>`;

/** From this share on, an account is near its limit. */
const NEAR_LIMIT = 0.8;

/** Only a share that matters is a badge. */
const shareText = (account: AccountRow): Markup =>
  account.share >= NEAR_LIMIT
    ? shareBadge(account)
    : html`<span class="share muted">${percentText(account.share)} used</span>`;

export function shareBadge({ share }: Pick<AccountRow, 'share'>): Markup {
  if (share > 1) return badge('bad', 'Over its limit');
  return badge(share >= NEAR_LIMIT ? 'warn' : 'plain', `${percentText(share)} used`);
}

interface AccountsPage {
  readonly items: readonly AccountRow[];
  readonly nextCursor?: string;
}

export const accountsContent = ({ items, nextCursor }: AccountsPage): Markup =>
  html`${findForm('')}${accountsTable(
    'accounts',
    items,
    'Create the first account below.',
  )}${nextLink('accounts', nextCursor)}
  ${section(
    { id: 'new', title: 'Create an account', lead: 'Its id is made up. The admin API can choose one.' },
    html`<div class="card">
      ${buttonForm(
        html`${formField({
            id: 'name',
            label: 'Name',
            control: (attributes) =>
              html`<input ${attributes} name="name" maxlength="200" required autocomplete="off" />`,
          })} <button class="button primary" name="do" value="create-account">Create account</button>`,
      )}
    </div>`,
  )}`;

/** A link to the next page of a list, in the same order. */
export const nextLink = (
  page: 'accounts' | 'destinations' | 'dead-letters' | 'tokens' | 'audit',
  cursor: string | undefined,
  query: Readonly<Record<string, string>> = {},
): Markup | false =>
  cursor !== undefined &&
  html`<p class="more-line"><a href="${pageUrl(page, '', { ...query, cursor })}">Next ones</a></p>`;

export const searchContent = (
  text: string,
  { accounts, destinations, isComplete }: SearchResult,
  context: PageContext,
): Markup =>
  html`${findForm(text)}${
    !isComplete && notice('warn', 'There may be more matches. Type more of the name, id or address.')
  }
  ${section(
    {
      id: 'found-accounts',
      title: 'Accounts',
      lead: `Their name contains “${masked(text)}”, or their id begins with it.`,
    },
    accounts.length === 0
      ? html`<p class="card empty"><strong>None</strong>No account matches.</p>`
      : html`<ul class="rows card flush">
          ${accounts.map(foundAccount)}
        </ul>`,
  )}
  ${section(
    {
      id: 'found-destinations',
      title: 'Destinations',
      lead: `Their name or address contains “${masked(text)}”, or their id begins with it.`,
    },
    destinationTable('found', destinations, context),
  )}`;

const foundAccount = ({ id, name }: Account): Markup =>
  html`<li>
    <p>
      <a href="${accountUrl(id)}"><strong>${name}</strong></a> <code>${id}</code>
    </p>
  </li>`;
