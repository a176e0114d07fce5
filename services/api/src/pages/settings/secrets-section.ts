import { SIGNING_SECRETS_MAX } from '@mailhook/core';
import type { SigningSecret } from '@mailhook/core';
import { actionButton, hidden, PAGE_PATH, section, timeOf, unseen } from '../html/elements.ts';
import { members, outcomeArea } from './page-parts.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import type { Snippet } from './snippets.ts';
import type { View } from './view.ts';
import { valueOf } from './view.ts';

/** The account's signing secrets, and examples that verify a signature. */
export function secretsSection(view: View, outcome: Outcome | undefined, snippets: readonly Snippet[]): Markup {
  const secrets = valueOf(view.secrets) ?? [];
  const isFull = secrets.length >= SIGNING_SECRETS_MAX;
  return section(
    {
      id: 'secrets',
      title: 'Signing secrets',
      lead: 'With a secret, every request is signed, so that your server can tell that it came from Mailhook and was not changed.',
      aside: markup`<div id="create-secret-part" data-part>${
        !isFull &&
        markup`<form method="post" action="${PAGE_PATH}">${actionButton({ id: 'create-secret', value: 'create-secret', text: 'Create secret', busy: 'Creating…' })}</form>`
      }</div>`,
    },
    markup`<div id="secret-outcome" data-part${outcome?.secret !== undefined && markup` data-keep`}>${outcomeArea('secrets', outcome)}${
      outcome?.secret !== undefined && shownOnce(outcome.secret)
    }</div>
<ul class="rows card flush" id="secret-list" data-part data-list>${members(
      'secrets',
      view.secrets,
      (list) =>
        markup`${list.map(item)}${list.length === 0 && markup`<li class="empty" id="no-secrets" data-part><strong>Requests are not signed</strong>Create a secret, and verify the signature as shown below.</li>`}`,
    )}</ul>
${isFull && markup`<p class="hint">Two secrets at a time: while you replace one, requests are signed with both. Delete the old one when your server knows the new one.</p>`}
${verification(snippets)}`,
  );
}

const shownOnce = (secret: string): Markup => markup`<div class="notice secret">
<p><strong>Copy the secret now. It is not shown again.</strong></p>
<p class="copy"><code id="new-secret">${secret}</code> <button type="button" class="button quiet" data-copy="new-secret" hidden>Copy</button></p></div>`;

const item = ({ id, createdAt }: SigningSecret): Markup =>
  markup`<li id="secret-${id}" data-part><p>Created ${timeOf(createdAt)} <span class="muted">id ${id}</span></p>
<details id="delete-secret-${id}"><summary class="button quiet">Delete${unseen(` secret ${id}`)}</summary>
<form method="post" action="${PAGE_PATH}" class="inset">${hidden('id', id)}
<p>A server that has only this secret will refuse all later requests.</p>
<div class="actions">${actionButton({ id: `confirm-delete-secret-${id}`, value: 'delete-secret', text: 'Delete secret', busy: 'Deleting…', look: 'danger' })}</div></form></details></li>`;

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
