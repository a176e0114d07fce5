import { SIGNING_SECRETS_MAX } from '@mailhook/core';
import type { SigningSecret } from '@mailhook/core';
import { actionButton, agoOf, badge, formField, hidden, notice, section, timeOf, unseen } from '../../html/elements.ts';
import { destinationNames } from '../shared/endpoints.ts';
import { listOf } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Outcome } from '../../page/outcome.ts';
import { exampleTabs, members, shownOnce } from '../shared/page-parts.ts';
import type { Snippets } from '../overview/snippets.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { Loaded, Signing } from '../loaded.ts';
import { addressOf } from '../parts.ts';

type SecretsView = Pick<Frame, 'destinations'> &
  Signing & {
    readonly secretUses: Loaded<ReadonlyMap<string, string>>;
  };

/** Id of the section with the secrets of one destination. */
const OWN_SECRETS = 'own-secrets';

/** The account's signing secrets, and examples that verify a signature. */
export const secretsSection = (view: SecretsView, outcome: Outcome | undefined, snippets: Snippets): Markup =>
  secretsPart(
    {
      id: 'secrets',
      title: texts.secrets.ofAccount,
      lead: texts.secrets.ofAccountLead,
      secrets: view.secrets,
      empty: html`<strong>${texts.secrets.notSigned}</strong>${texts.secrets.notSignedHint}`,
      note: ownNote(view),
      more: verification(snippets),
      uses: view.secretUses,
    },
    outcome,
  );

/** Which destinations the account's secrets do not sign for. */
function ownNote(view: SecretsView): Markup {
  const own = [...(valueOf(view.ownSecrets) ?? [])].map(([id]) => id).filter((id) => addressOf(view, id) !== undefined);
  const names = destinationNames(view);
  const endpoints = html`<span class="address">${listOf(own.map((id) => names.get(id) ?? id))}</span>`;
  return html`<div id="own-secrets-note" data-part>
    ${own.length > 0 && notice('plain', texts.secrets.ownNote({ endpoints }))}
  </div>`;
}

/** The signing secrets of one destination. */
export function ownSecretsSection(login: string, view: SecretsView, outcome: Outcome | undefined): Markup {
  const account = valueOf(view.secrets);
  const fallback =
    account === undefined
      ? texts.secrets.accountSignsIfAny
      : account.length > 0
        ? texts.secrets.accountSigns
        : texts.secrets.nothingSigns;
  const { ownSecrets } = view;
  return secretsPart(
    {
      id: OWN_SECRETS,
      destination: login,
      title: texts.secrets.ofEndpoint,
      lead: texts.secrets.ownLead,
      secrets: 'value' in ownSecrets ? { value: ownSecrets.value.get(login) ?? [] } : ownSecrets,
      empty: html`<strong>${texts.secrets.noOwn}</strong>${fallback} ${texts.secrets.pauseEndpoint}`,
      atLast: account?.length === 0 ? texts.secrets.lastOfAll : texts.secrets.lastOwn,
      uses: view.secretUses,
    },
    outcome,
  );
}

interface SecretsPart {
  readonly id: 'secrets' | typeof OWN_SECRETS;
  /** Absent: the secrets are those of the account. */
  readonly destination?: string;
  readonly title: Content;
  readonly lead: Content;
  readonly secrets: Loaded<readonly SigningSecret[]>;
  /** When each was last used, by its id. */
  readonly uses: Loaded<ReadonlyMap<string, string>>;
  /** Shown if there are none. */
  readonly empty: Markup;
  /** What the deletion of the only secret means. */
  readonly atLast?: Content;
  /** Above and below the list. */
  readonly note?: Markup;
  readonly more?: Markup;
}

function secretsPart(part: SecretsPart, outcome: Outcome | undefined): Markup {
  const { id, destination, title, lead, empty, note, more } = part;
  const isFull = (valueOf(part.secrets) ?? []).length >= SIGNING_SECRETS_MAX;
  const shown = outcome?.place === id ? outcome.secret : undefined;
  const name = destination === undefined ? 'secret' : 'own-secret';
  return section(
    {
      id,
      title,
      lead,
      aside: html`<div id="create-${name}-part" data-part>
        ${
          !isFull &&
          html`<form method="post">
            ${ofDestination(destination)}${actionButton({
              id: `create-${name}`,
              value: CREATE_SECRET,
              text: texts.secrets.create,
              busy: texts.secrets.creating,
              look: destination === undefined ? 'primary' : 'quiet',
            })}
          </form>`
        }
      </div>`,
    },
    html`<div id="${name}-outcome" data-part${shown !== undefined && html` data-keep`}>
        ${shown !== undefined && shownOnce(`new-${name}`, texts.secrets.copyNow, shown)}
      </div>
      ${note}
      <ul class="rows card flush" id="${name}-list" data-part data-list>
        ${members(
          id,
          part.secrets,
          (list) =>
            html`${list.map((one) => item(one, part, list))}${
              list.length === 0 && html`<li class="empty" id="no-${name}s" data-part>${empty}</li>`
            }`,
        )}
      </ul>
      ${isFull && html`<p class="hint">${texts.secrets.two}</p>`} ${more}`,
  );
}

export const CREATE_SECRET = 'create-secret';
export const ROLL_SECRET = 'roll-secret';
export const DELETE_SECRET = 'delete-secret';

const ofDestination = (destination: string | undefined): Markup | false =>
  destination !== undefined && hidden('destination', destination);

/** Hours for which a secret may still sign after it was replaced. */
const HOURS = [1, 24, 72, 168] as const;

function item(one: SigningSecret, part: SecretsPart, list: readonly SigningSecret[]): Markup {
  const { id, createdAt, start, endsAt } = one;
  const { secrets } = texts;
  const uses = valueOf(part.uses);
  const usedAt = uses?.get(id);
  return html`<li id="secret-${id}" data-part>
    <div>
      <p>
        ${start === undefined ? secrets.unreadable : html`<code>${start}…</code>`}${
          endsAt !== null && html` ${badge('warn', secrets.ends({ time: timeOf(endsAt) }))}`
        }
      </p>
      <p class="muted">
        ${secrets.created({ time: agoOf(createdAt) })}${
          uses !== undefined && [', ', usedAt === undefined ? secrets.unused : secrets.used({ time: agoOf(usedAt) })]
        }
      </p>
    </div>
    <div class="actions">${list.length === 1 && rollForm(id, part.destination)}${removal(one, part, list)}</div>
  </li>`;
}

function removal({ id, endsAt }: SigningSecret, part: SecretsPart, list: readonly SigningSecret[]): Markup {
  const { secrets } = texts;
  const isNew = endsAt === null && list.some((other) => other.endsAt !== null);
  return html`<details id="delete-secret-${id}">
    <summary class="button quiet">
      ${(endsAt === null ? secrets.deleteOne : secrets.endNow)({ hidden: unseen, id })}
    </summary>
    <form method="post" class="inset">
      ${ofDestination(part.destination)}${hidden('id', id)}
      <p>
        ${endsAt === null ? secrets.deletes : secrets.endsNow}${
          list.length === 1 && part.atLast !== undefined && [' ', part.atLast]
        }${isNew && [' ', secrets.takesBack]}
      </p>
      <div class="actions">
        ${actionButton({
          id: `confirm-delete-secret-${id}`,
          value: DELETE_SECRET,
          text: secrets.delete,
          busy: secrets.deleting,
          look: 'danger',
        })}
      </div>
    </form>
  </details>`;
}

const rollForm = (id: string, destination: string | undefined): Markup =>
  html`<details id="roll-secret-${id}">
    <summary class="button quiet">${texts.secrets.roll}</summary>
    <form method="post" class="inset">
      ${ofDestination(destination)}
      <p>${texts.secrets.rollText}</p>
      ${formField({
        id: `hours-${id}`,
        label: texts.secrets.rollFor,
        control: (attributes) =>
          html`<select ${attributes} name="hours">
            ${HOURS.map(
              (hours) =>
                html`<option value="${String(hours)}" ${hours === 24 && html`selected`}>
                  ${texts.secrets.hours({ hours })}
                </option>`,
            )}
          </select>`,
      })}
      <div class="actions">
        ${actionButton({
          id: `confirm-roll-secret-${id}`,
          value: ROLL_SECRET,
          text: texts.secrets.rollNow,
          busy: texts.secrets.rolling,
          look: 'primary',
        })}
      </div>
    </form>
  </details>`;

/** Tabs that work without script. The selected radio button shows its panel. */
const verification = (snippets: Snippets): Markup =>
  html`<div class="card">
    <h3>${texts.secrets.verify}</h3>
    <p class="muted">
      ${texts.secrets.verifyLead({
        standard: (words) => html`<a href="https://www.standardwebhooks.com">${words}</a>`,
        guide: (words) => html`<a href="/docs/guides/signatures">${words}</a>`,
      })}
    </p>
    ${exampleTabs('verify', snippets.verify)}
  </div>`;
