import { subscriptionType } from '@mailhook/core';
import type { ListedSession, Session } from '../access.ts';
import { campaignNotice, campaignSection, campaignState } from './campaign-section.ts';
import { deadLettersSection } from './dead-letters-section.ts';
import { deliveriesSection } from './deliveries-section.ts';
import { formField, notice, PAGE_PATH, timeZoneNote } from '../html/elements.ts';
import { outcomeArea, unroutedHint } from './page-parts.ts';
import { lossNote, stateBadge, stateNotice } from './destination-state.ts';
import { eventSection } from './event-section.ts';
import { historyPicture } from './history-picture.ts';
import { icon } from '../html/icons.ts';
import { markup } from '../html/markup.ts';
import type { Outcome } from './outcome.ts';
import { loginSection } from './login-section.ts';
import { backLink, brandMark, frame } from './page-frame.ts';
import type { PageLook } from './page-frame.ts';
import { ownSecretsSection, secretsSection } from './secrets-section.ts';
import { sessionsSection } from './sessions-section.ts';
import type { Snippet } from './snippets.ts';
import { subscriptionsSection } from './subscriptions-section.ts';
import type { LiveView, View } from './view.ts';
import { valueOf } from './view.ts';

/** The first imports the others. */
const SCRIPTS = ['settings.js', 'parts.js', 'times.js'] as const;

const NAVIGATION = [
  ['campaign', 'overview', 'Campaign webhook'],
  ['subscriptions', 'endpoints', 'Subscriptions'],
  ['deliveries', 'deliveries', 'Deliveries'],
  ['dead-letters', 'dead-letters', 'Dead letters'],
  ['event', 'events', 'Find an event'],
  ['secrets', 'secrets', 'Signing secrets'],
  ['sessions', 'developers', 'Sessions'],
] as const;

interface PageFiles {
  readonly look: PageLook;
  readonly session: Session;
  /** Oldest first. Empty if they could not be read. */
  readonly sessions: readonly ListedSession[];
  readonly snippets: readonly Snippet[];
}

/** The whole page of a signed-in account. */
export const pageDocument = (
  { look, session, sessions, snippets }: PageFiles,
  view: View,
  outcome: Outcome | undefined,
): string =>
  frame(
    look,
    'Webhooks',
    markup`<body>
<a class="skip" href="#main">Skip to the settings</a>
<header class="top"><span class="brand">${brandMark(look)}</span><span class="account">${view.accountName}</span>
${timeZoneNote()}${backLink(look.brand, session.portal?.returnUrl)}<form method="post" action="${PAGE_PATH}/sign-out" data-plain><button class="button quiet">Sign out</button></form></header>
<div class="layout">
<nav aria-label="Sections"><ul>${NAVIGATION.map(([id, image, name]) => markup`<li><a href="#${id}">${icon(image)}${name}</a></li>`)}</ul></nav>
<main id="main" data-signed-in${session.portal !== undefined && markup` data-portal`}>
<p class="crumbs">Settings <span aria-hidden="true">›</span> Plugins and API</p>
<h1>Webhooks</h1>
<p class="lead">Where ${look.brand.name} delivers your email events, and the result of each delivery. The <a href="/docs">API</a> offers the same, and the <a href="/docs/guides">guides</a> explain it.</p>
${session.access === 'read' && notice('plain', 'You can see everything here. To change or test something, you need an access that may manage webhooks.')}
<div id="page-notice" aria-live="assertive"></div>
${outcomeArea('page', outcome)}
${campaignSection(view, outcome)}
${subscriptionsSection(view, outcome)}
${loginSection(view, outcome)}
${ownSecretsSection(view, outcome)}
${deliveriesSection(view)}
${deadLettersSection(view, outcome)}
${eventSection(view)}
${secretsSection(view, outcome, snippets)}
${sessionsSection(session, sessions)}
</main>
</div>
</body>`,
    SCRIPTS,
  );

/**
 * The parts that change without user action, for the page's script: states, pictures, deliveries and dead letters. They
 * hold no text fields.
 */
export const liveDocument = (view: LiveView): string =>
  markup`${campaignState(view)}${campaignNotice(view)}${unroutedHint('campaign', view, ['campaign'])}${unroutedHint('subscriptions', view, subscriptionType.options)}${[
    ...(valueOf(view.statuses) ?? []),
  ]
    .filter(([id]) => id !== 'campaign')
    .map(([id]) => markup`${stateBadge(id, view, markup``)}${stateNotice(id, view)}`)}
${[...(valueOf(view.statuses) ?? [])].map(([id, status]) => (['off', 'remove', 'delete'] as const).map((one) => lossNote(one, id, status)))}
${[...(valueOf(view.history) ?? [])].map(([id, history]) => historyPicture(id, history, valueOf(view.statuses)?.get(id)))}
${deliveriesSection(view)}${deadLettersSection(view, undefined)}`.toString();

export interface SignInOptions {
  /** Why the token was refused. */
  readonly error?: string | undefined;
  /** A notice that is not about the token. */
  readonly notice?: string | undefined;
}

export const signInDocument = (look: PageLook, options: SignInOptions): string =>
  frame(
    look,
    'Sign in',
    markup`<body class="sign-in">
<main class="card" id="main">
<p class="brand">${brandMark(look)}</p>
<h1>Webhook settings</h1>
${options.notice !== undefined && notice('warn', options.notice)}
<form method="post" action="${PAGE_PATH}/sign-in" data-plain novalidate>
${options.error !== undefined && markup`<div role="alert">${notice('bad', options.error)}</div>`}
<input type="text" autocomplete="username" value="access token" hidden>
${formField({
  id: 'token',
  label: 'Access token',
  hint: `The token of your account’s API. It begins with mhk_. Ask your ${look.brand.name} administrator for a token.`,
  control: (attributes) =>
    markup`<input ${attributes} name="token" type="password" autocomplete="current-password" autofocus required${options.error !== undefined && markup` aria-invalid="true"`}>`,
})}
<button class="button primary">Sign in</button>
</form>
${backLink(look.brand, undefined)}
</main>
</body>`,
    SCRIPTS,
  );
