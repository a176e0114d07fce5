import type {
  Access,
  Account,
  ListedAccessToken,
  ListedAdminToken,
  ListedProducerToken,
  ListedToken,
} from '@mailhook/core';
import { agoOf, formField, hidden, section, timeOf } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import type { Outcome } from '../../page/outcome.ts';
import { nextLink } from '../accounts/content.ts';
import { accountLink } from '../destinations/destination-table.ts';
import { buttonForm, confirmed } from '../forms.ts';
import type { Names, PageContext } from '../view.ts';

/** The id of the producer token in `PRODUCER_TOKEN`. It cannot be revoked here. */
const ENVIRONMENT_TOKEN = 'environment';

interface TokenRow extends Pick<ListedToken, 'label' | 'expiresAt' | 'lastUsedAt'> {
  readonly id: string;
  readonly scope: Content;
  readonly revoke?: Content;
}

const ACCESS: Readonly<Record<Access, string>> = { read: 'Sees everything', manage: 'Changes everything' };

const tokenTable = (id: string, rows: readonly TokenRow[], none: string): Markup =>
  html`<div class="card flush" id="${id}" data-part>
    ${
      rows.length === 0
        ? html`<p class="empty"><strong>None</strong>${none}</p>`
        : html`<table class="table static">
            <caption class="unseen">
              Tokens
            </caption>
            <thead>
              <tr>
                <th scope="col">Token</th>
                <th scope="col">May</th>
                <th scope="col" class="wide">Last use</th>
                <th scope="col" class="wide">Ends</th>
                <th scope="col" class="of-action"><span class="unseen">Actions</span></th>
              </tr>
            </thead>
            <tbody>
              ${rows.map(tokenRow)}
            </tbody>
          </table>`
    }
  </div>`;

const tokenRow = ({ id, label, scope, lastUsedAt, expiresAt, revoke }: TokenRow): Markup =>
  html`<tr>
    <th scope="row">${label === '' ? 'Without a label' : label} <code class="muted">${id}</code></th>
    <td>${scope}</td>
    <td class="wide">${lastUsedAt === null ? 'Never' : agoOf(lastUsedAt)}</td>
    <td class="wide">${ends(expiresAt)}</td>
    <td>${revoke}</td>
  </tr>`;

const ends = (expiresAt: string | null): Content => (expiresAt === null ? 'Never' : timeOf(expiresAt));

function revocation({ id, label }: ListedToken, value: string, fields: Content): Markup {
  const of = label === '' ? id : label;
  return confirmed(
    {
      id: `revoke-${id}`,
      summary: 'Revoke…',
      of,
      text: 'Requests with this token are refused immediately. A revoked token cannot be used again.',
      button: 'Revoke token',
      value,
    },
    (inner) => buttonForm(html`${hidden('token', id)}${fields}${inner}`),
  );
}

const labelField = (refused: Outcome | undefined): Markup =>
  formField({
    id: 'label',
    label: 'Label',
    hint: 'For the list and the audit log.',
    error: refused?.errors?.['label'],
    control: (attributes) =>
      html`<input ${attributes} name="label" maxlength="200" autocomplete="off" value="${typed(refused, 'label')}" />`,
  });
const endField = (refused: Outcome | undefined): Markup =>
  formField({
    id: 'expires',
    label: 'Ends (UTC)',
    hint: 'Without a time, it does not end.',
    error: refused?.errors?.['expiresAt'],
    control: (attributes) =>
      html`<input ${attributes} name="expiresAt" type="datetime-local" value="${typed(refused, 'expiresAt')}" />`,
  });
const typed = (refused: Outcome | undefined, field: string): string => refused?.draft?.[field] ?? '';

type Fields = (refused: Outcome | undefined) => Content;

/** The form of a new token. After its refusal, it has the errors and what was typed. */
function newTokenCard(outcome: Outcome | undefined, fields: Fields): Markup {
  const refused = outcome?.place === 'tokens' && !outcome.isGood ? outcome : undefined;
  return html`<div class="card" id="new-token" data-part${refused !== undefined && html` data-keep`}>
    ${buttonForm(fields(refused), 'stack')}
  </div>`;
}

export function accessTokens(account: string, tokens: readonly ListedAccessToken[]): Markup {
  const of = hidden('account', account);
  const rows = tokens.map((one) => ({
    ...one,
    scope: ACCESS[one.access],
    revoke: revocation(one, 'revoke-token', of),
  }));
  return tokenTable('tokens', rows, 'Create the first token below.');
}

export const newAccessToken = (account: string, outcome: Outcome | undefined): Markup =>
  section(
    {
      id: 'new',
      title: 'Create an access token',
      lead: 'For the customer’s API and for the sign-in to the settings.',
    },
    newTokenCard(
      outcome,
      (refused) =>
        html`${hidden('account', account)}${labelField(refused)}${formField({
            id: 'access',
            label: 'It may',
            control: (attributes) =>
              html`<select ${attributes} name="access">
                <option value="manage">change everything</option>
                <option value="read" ${typed(refused, 'access') === 'read' && html`selected`}>see everything</option>
              </select>`,
          })}${endField(refused)}<button class="button primary" name="do" value="create-token">
            Create access token
          </button>`,
    ),
  );

export function producerTokens(tokens: readonly ListedProducerToken[], { names }: PageContext): Markup {
  const rows = tokens.map((one) => ({
    ...one,
    scope:
      one.accounts === null
        ? 'Sends events for all accounts'
        : html`Sends events for ${accountList(one.accounts, names)}`,
    revoke:
      one.id === ENVIRONMENT_TOKEN ? 'Set in PRODUCER_TOKEN' : revocation(one, 'revoke-producer-token', undefined),
  }));
  return tokenTable('tokens', rows, '');
}

export const newProducerToken = (outcome: Outcome | undefined): Markup =>
  section(
    {
      id: 'new',
      title: 'Create a producer token',
      lead: 'It is valid beside all others. To replace a token, create one, use it, and revoke the old one.',
    },
    newTokenCard(
      outcome,
      (refused) =>
        html`${labelField(refused)}${formField({
            id: 'of-accounts',
            label: 'Accounts',
            hint: 'Ids with a space between. Empty: for all accounts.',
            error: refused?.errors?.['accounts'],
            control: (attributes) =>
              html`<input ${attributes} name="accounts" autocomplete="off" value="${typed(refused, 'accounts')}" />`,
          })}${endField(refused)}<button class="button primary" name="do" value="create-producer-token">
            Create producer token
          </button>`,
    ),
  );

const LISTED_MAX = 5;
const accountList = (accounts: readonly string[], names: Names): Content => [
  accounts.slice(0, LISTED_MAX).map((id, i) => html`${i > 0 && ', '}${accountLink(id, names)}`),
  accounts.length > LISTED_MAX && `, and ${accounts.length - LISTED_MAX} more`,
];

/** Admin tokens come from `ADMIN_TOKEN`, so they are changed there. */
export const adminTokens = (operators: readonly ListedAdminToken[]): Markup =>
  html`${tokenTable(
      'tokens',
      operators.map(({ label, scope, lastUsedAt }) => ({
        id: '',
        label: label ?? '',
        scope: SCOPES[scope],
        lastUsedAt,
        expiresAt: null,
        revoke: 'Set in ADMIN_TOKEN',
      })),
      '',
    )}
    <p class="hint">
      Admin tokens are in ADMIN_TOKEN, or in the file that ADMIN_TOKEN_FILE names. A changed file takes effect without a
      restart.
    </p>`;

const SCOPES: Readonly<Record<ListedAdminToken['scope'], string>> = {
  admin: 'Changes everything',
  read: 'Sees everything',
  portal: 'Creates portal links',
};

interface AccessTokensPage {
  readonly items: readonly { readonly account: Account; readonly tokens: readonly ListedAccessToken[] }[];
  readonly nextCursor?: string | undefined;
}

/** The tokens of a page of accounts. They are created and revoked on the page of their account. */
export const allAccessTokens = ({ items, nextCursor }: AccessTokensPage, { names }: PageContext): Markup =>
  html`<div class="card flush" id="tokens" data-part>
      ${
        items.length === 0
          ? html`<p class="empty"><strong>None</strong>There is no account.</p>`
          : html`<table class="table static">
              <caption class="unseen">
                Access tokens by account
              </caption>
              <thead>
                <tr>
                  <th scope="col">Account</th>
                  <th scope="col">Token</th>
                  <th scope="col">May</th>
                  <th scope="col" class="wide">Last use</th>
                  <th scope="col" class="wide">Ends</th>
                </tr>
              </thead>
              <tbody>
                ${items.flatMap(({ account, tokens }) =>
                  tokens.map(
                    ({ id, label, access, lastUsedAt, expiresAt }) =>
                      html`<tr>
                        <th scope="row">${accountLink(account.id, names)}</th>
                        <td>${label === '' ? 'Without a label' : label} <code class="muted">${id}</code></td>
                        <td>${ACCESS[access]}</td>
                        <td class="wide">${lastUsedAt === null ? 'Never' : agoOf(lastUsedAt)}</td>
                        <td class="wide">${ends(expiresAt)}</td>
                      </tr>`,
                  ),
                )}
              </tbody>
            </table>`
      }
    </div>
    ${nextLink('tokens', nextCursor, { tab: 'access' })}`;
