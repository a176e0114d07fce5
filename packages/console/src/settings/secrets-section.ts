import { SIGNING_SECRETS_MAX } from '@mailhook/core';
import type { SigningSecret } from '@mailhook/core';
import { actionButton, hidden, notice, section, timeOf, unseen } from '../html/elements.ts';
import { destinationNames } from './deliveries-section.ts';
import { members } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import type { Snippet } from './snippets.ts';
import type { Loaded, View } from './view.ts';
import { addressOf, valueOf } from './view.ts';

/** Id of the section with the secrets of one destination. */
const OWN_SECRETS = 'own-secrets';

export const SECRETS_LEAD =
  'With a secret, every request is signed, so that your server can tell that it came from Mailhook and was not changed. An endpoint may have its own secrets, among its settings.';

/** The account's signing secrets, and examples that verify a signature. */
export const secretsSection = (view: View, outcome: Outcome | undefined, snippets: readonly Snippet[]): Markup =>
  secretsPart(
    {
      id: 'secrets',
      title: 'Secrets of the account',
      lead: markup`They sign for every endpoint without its own secrets.`,
      secrets: view.secrets,
      empty: markup`<strong>Requests are not signed</strong>Create a secret, and verify the signature as shown below.`,
      note: ownNote(view),
      more: verification(snippets),
    },
    outcome,
  );

/** Which destinations the account's secrets do not sign for. */
function ownNote(view: View): Markup {
  const own = [...(valueOf(view.ownSecrets) ?? [])].map(([id]) => id).filter((id) => addressOf(view, id) !== undefined);
  const names = destinationNames(view);
  const list = new Intl.ListFormat('en').format(own.map((id) => names.get(id) ?? id));
  return markup`<div id="own-secrets-note" data-part>${
    own.length > 0 &&
    notice(
      'plain',
      markup`These destinations have their own secrets, and the secrets below do not sign for them:
<span class="address">${list}</span>.`,
    )
  }</div>`;
}

/** The signing secrets of one destination. */
export function ownSecretsSection(login: string, address: string, view: View, outcome: Outcome | undefined): Markup {
  const what = login === 'campaign' ? 'webhook' : 'subscription';
  const account = valueOf(view.secrets);
  const fallback =
    account === undefined
      ? 'Requests to it are signed with the secrets of your account, if there are some.'
      : account.length > 0
        ? 'Requests to it are signed with the secrets of your account.'
        : 'Requests to it are not signed, because your account has no secrets either.';
  const { ownSecrets } = view;
  return secretsPart(
    {
      id: OWN_SECRETS,
      destination: login,
      title: `Signing secrets of this ${what}`,
      lead: markup`For <span class="address">${address}</span>. While it has its own secret, its requests are signed
with that one and not with those of your account, so that its server cannot forge requests to your other servers.
Without one, the secrets of your account sign.`,
      secrets: 'value' in ownSecrets ? { value: ownSecrets.value.get(login) ?? [] } : ownSecrets,
      empty: markup`<strong>No own secret</strong>${fallback}
If this server verifies signatures already, pause the ${what} while you give it the new secret.`,
      atLast:
        account?.length === 0
          ? 'Your account has no secrets either, so requests are not signed any more.'
          : 'Without an own secret, the secrets of your account sign.',
    },
    outcome,
  );
}

interface SecretsPart {
  readonly id: 'secrets' | typeof OWN_SECRETS;
  /** Absent: the secrets are those of the account. */
  readonly destination?: string;
  readonly title: string;
  readonly lead: Markup;
  readonly secrets: Loaded<readonly SigningSecret[]>;
  /** Shown if there are none. */
  readonly empty: Markup;
  /** What the deletion of the only secret means. */
  readonly atLast?: string;
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
      aside: markup`<div id="create-${name}-part" data-part>${
        !isFull &&
        markup`<form method="post">${ofDestination(destination)}${actionButton({
          id: `create-${name}`,
          value: CREATE_SECRET,
          text: 'Create secret',
          busy: 'Creating…',
          look: destination === undefined ? 'primary' : 'quiet',
        })}</form>`
      }</div>`,
    },
    markup`<div id="${name}-outcome" data-part${shown !== undefined && markup` data-keep`}>${
      shown !== undefined && shownOnce(`new-${name}`, shown)
    }</div>${note}
<ul class="rows card flush" id="${name}-list" data-part data-list>${members(
      id,
      part.secrets,
      (list) =>
        markup`${list.map((one) => item(one, part, list.length === 1))}${
          list.length === 0 && markup`<li class="empty" id="no-${name}s" data-part>${empty}</li>`
        }`,
    )}</ul>
${isFull && markup`<p class="hint">Two secrets at a time: while you replace one, requests are signed with both. Delete the old one when your server knows the new one.</p>`}
${more}`,
  );
}

export const CREATE_SECRET = 'create-secret';
export const DELETE_SECRET = 'delete-secret';

const ofDestination = (destination: string | undefined): Markup | false =>
  destination !== undefined && hidden('destination', destination);

const shownOnce = (id: string, secret: string): Markup => markup`<div class="notice secret">
<p><strong>Copy the secret now. It is not shown again.</strong></p>
<p class="copy"><code id="${id}">${secret}</code>
<button type="button" class="button quiet" data-copy="${id}" hidden>Copy</button></p></div>`;

const item = (
  { id, createdAt }: SigningSecret,
  { destination, atLast }: Pick<SecretsPart, 'destination' | 'atLast'>,
  isLast: boolean,
): Markup =>
  markup`<li id="secret-${id}" data-part><p>Created ${timeOf(createdAt)} <span class="muted">id ${id}</span></p>
<details id="delete-secret-${id}"><summary class="button quiet">Delete${unseen(` secret ${id}`)}</summary>
<form method="post" class="inset">${ofDestination(destination)}${hidden('id', id)}
<p>A server that has only this secret will refuse all later requests.${
    isLast && atLast !== undefined && ` ${atLast}`
  }</p>
<div class="actions">${actionButton({
    id: `confirm-delete-secret-${id}`,
    value: DELETE_SECRET,
    text: 'Delete secret',
    busy: 'Deleting…',
    look: 'danger',
  })}</div></form></details></li>`;

/** Tabs that work without script. The selected radio button shows its panel. */
const verification = (snippets: readonly Snippet[]): Markup => markup`<div class="card"><h3>Verify a request</h3>
<p class="muted">The signature covers the headers webhook-id and webhook-timestamp and the body as it came, before any parsing (<a href="https://www.standardwebhooks.com">Standard Webhooks</a>). The examples accept any of several secrets, so that you can replace one. <a href="/docs/guides/signatures">More about signatures</a></p>
<fieldset class="tabs"><legend class="unseen">Language of the example</legend>
${snippets.map(
  ({ id, name }, i) =>
    markup`<input type="radio" name="language" id="language-${id}"${i === 0 && markup` checked`}><label for="language-${id}">${name}</label>`,
)}
${snippets.map(
  ({ id, name, code }) =>
    markup`<div class="panel" id="panel-${id}"><button type="button" class="button quiet" data-copy="code-${id}" hidden>Copy${unseen(` the ${name} example`)}</button><pre tabindex="0" aria-label="${name} example"><code id="code-${id}">${code}</code></pre></div>`,
)}</fieldset></div>`;
