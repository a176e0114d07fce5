import { OWN_TOKENS_MAX } from '@mailhook/core';
import type { ListedAccessToken, Session } from '@mailhook/core';
import { actionButton, agoOf, badge, formField, hidden, section, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Outcome } from '../../page/outcome.ts';
import type { Loaded } from '../loaded.ts';
import { valueOf } from '../loaded.ts';
import { members, shownOnce } from '../shared/page-parts.ts';

export const CREATE_TOKEN = 'create-token';
export const REVOKE_TOKEN = 'revoke-token';

/** Days until a new token ends. 0: it does not end. */
export const ENDS_IN_DAYS = [0, 30, 90, 365] as const;

const words = texts.tokens;

interface TokensView {
  readonly session: Pick<Session, 'token' | 'access'>;
  readonly tokens: Loaded<readonly ListedAccessToken[]>;
  readonly nowMs: number;
}

/** The account's access tokens, and the form for a new one. */
export function tokensSection(view: TokensView, outcome: Outcome | undefined): Markup {
  const own = outcome?.place === 'tokens' ? outcome : undefined;
  return section(
    { id: 'tokens', title: words.title, lead: words.lead },
    html`<div id="token-outcome" data-part${own?.secret !== undefined && html` data-keep`}>
        ${own?.secret !== undefined && shownOnce('new-token-text', words.copyNow, own.secret)}
      </div>
      <ul class="rows card flush" id="token-list" data-part>
        ${members('tokens', view.tokens, (list) =>
          list.length === 0
            ? html`<li class="empty" id="no-tokens" data-part><strong>${words.none}</strong>${words.noneHint}</li>`
            : html`${list.map((one) => item(one, view))}`,
        )}
      </ul>
      ${view.session.access !== 'read' && newToken(view, own)}`,
  );
}

function item(one: ListedAccessToken, { session, nowMs }: TokensView): Markup {
  const { id, label, access, createdAt, lastUsedAt, expiresAt } = one;
  const isThis = id === session.token?.id;
  const hasEnded = expiresAt !== null && Date.parse(expiresAt) <= nowMs;
  const end = hasEnded ? words.ended : words.ends;
  const facts: Content = [
    words.created({ time: agoOf(createdAt) }),
    ', ',
    lastUsedAt === null ? words.unused : words.used({ time: agoOf(lastUsedAt) }),
    expiresAt !== null && [', ', end({ time: agoOf(expiresAt) })],
    ', ',
    words.id({ id }),
  ];
  return html`<li id="token-${id}" data-part>
    <div>
      <p>
        <strong><bdi>${label === '' ? words.noLabel : label}</bdi></strong>
        ${badge('plain', access === 'read' ? words.reads : words.manages)}${
          isThis && html` <span class="muted">${words.thisOne}</span>`
        }
      </p>
      <p class="muted">${facts}</p>
    </div>
    ${
      session.access !== 'read' &&
      html`<details id="revoke-${id}">
        <summary class="button quiet">${words.revokeOne({ hidden: unseen, label: label === '' ? id : label })}</summary>
        <form method="post" class="inset">
          ${hidden('id', id)}
          <p>${words.revokes}${isThis && [' ', words.revokesThis]}</p>
          <div class="actions">
            ${actionButton({
              id: `confirm-revoke-${id}`,
              value: REVOKE_TOKEN,
              text: words.revoke,
              busy: words.revoking,
              look: 'danger',
            })}
          </div>
        </form>
      </details>`
    }
  </li>`;
}

/** A session of a portal link makes none: it would outlive what ends these sessions. */
function newToken({ session, tokens }: TokensView, outcome: Outcome | undefined): Markup {
  const isFull = (valueOf(tokens) ?? []).length >= OWN_TOKENS_MAX;
  const refusal = (text: Content): Markup => html`<p class="hint" id="new-token" data-part>${text}</p>`;
  if (session.token === undefined) return refusal(words.notHere);
  if (isFull) return refusal(words.full({ max: OWN_TOKENS_MAX }));
  const draft = outcome?.isGood === false ? (outcome.draft ?? {}) : {};
  const choice = (name: string, value: string, text: Content): Markup =>
    html`<option value="${value}" ${value === draft[name] && html`selected`}>${text}</option>`;
  return html`<div class="card" id="new-token" data-part${outcome?.isGood === false && html` data-keep`}>
    <form method="post" id="new-token-form" novalidate data-fresh>
      <h3>${words.newOne}</h3>
      <div class="trio">
        ${formField({
          id: 'token-label',
          label: words.label,
          hint: words.labelHint,
          error: outcome?.errors?.['label'],
          control: (attributes) =>
            html`<input
              ${attributes}
              name="label"
              maxlength="200"
              autocomplete="off"
              value="${draft['label'] ?? ''}"
            />`,
        })}${formField({
          id: 'token-access',
          label: words.access,
          control: (attributes) =>
            html`<select ${attributes} name="access">
              ${choice('access', 'read', words.mayRead)}${choice('access', 'manage', words.mayManage)}
            </select>`,
        })}${formField({
          id: 'token-end',
          label: words.end,
          ...(session.token.expiresAt === null ? {} : { hint: words.endHint }),
          error: outcome?.errors?.['expiresAt'],
          control: (attributes) =>
            html`<select ${attributes} name="days">
              ${ENDS_IN_DAYS.map((days) =>
                choice('days', `${days}`, days === 0 ? words.never : words.inDays({ days })),
              )}
            </select>`,
        })}
      </div>
      <div class="actions">
        ${actionButton({
          id: 'create-token',
          value: CREATE_TOKEN,
          text: words.create,
          busy: words.creating,
          look: 'primary',
        })}
      </div>
    </form>
  </div>`;
}
