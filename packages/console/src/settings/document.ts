import type { ListedSession, Session, Operator } from '@mailhook/core';
import { LANGUAGES, operatorName } from '@mailhook/core';
import { deadLetterActions, deadLettersLive, deadLettersPage } from './dead-letters-section.ts';
import { deliveriesList, deliveryLog, liveState } from './deliveries-section.ts';
import { endpointState } from './destination-state.ts';
import { dialogArea } from './dialog.ts';
import { developersPage } from './developers-page.ts';
import { stateNotice } from './endpoint-notice.ts';
import { endpointHeader, endpointLive, endpointOf, endpointPage } from './endpoint-page.ts';
import { endpointsPage, endpointsTable, unroutedNotice } from './endpoints-page.ts';
import { endpointsOf } from './endpoints.ts';
import { eventSearch, searchField } from './event-section.ts';
import { formField, hidden, notice, PAGE_PATH, timeZoneNote } from '../html/elements.ts';
import { count } from '../html/formats.ts';
import { icon } from '../html/icons.ts';
import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { LANGUAGE_NAMES } from '../html/reader.ts';
import type { Reader } from '../html/reader.ts';
import { navigationList, shell } from '../html/shell.ts';
import { texts } from '../messages/texts.ts';
import type { Outcome } from './outcome.ts';
import { ENDPOINTS_SHOWN, firstRunLive, isFirstRun, overviewLive, overviewPage } from './overview-page.ts';
import { backLink, brandMark, frame } from './page-frame.ts';
import type { PageLook } from './page-frame.ts';
import { outcomeArea, unsavedBar } from './page-parts.ts';
import { NAVIGATION, pageOf, pathOf, urlOf } from './pages.ts';
import { secretsSection } from './secrets-section.ts';
import type { Snippets } from './snippets.ts';
import type { LiveView, Loaded, View } from './view.ts';
import { isUnread, valueOf } from './view.ts';

/** The first imports the others. */
const SCRIPTS = ['settings.js', 'copy.js', 'parts.js', 'times.js', 'unsaved.js'] as const;

interface PageFiles {
  readonly look: PageLook;
  readonly session: Session;
  /** Oldest first. Empty if they could not be read. */
  readonly sessions: readonly ListedSession[];
  readonly snippets: Snippets;
}

/** A whole page of a signed-in account. */
export function pageDocument(files: PageFiles, view: View, outcome: Outcome | undefined): string {
  const { look, session } = files;
  const { page, endpoint, tab } = view.question;
  return frame(
    look,
    titleOf(view),
    shell({
      skip: texts.shell.skip,
      brand: brandMark(look),
      brandUrl: PAGE_PATH,
      place: valueOf(view.accountName) ?? '–',
      tools: html`${searchField()}<a class="button bare" href="/docs/guides">${icon('guides')}${texts.shell.guides}</a>
        ${backLink(look.brand, session.portal?.returnUrl)}
        <form method="post" action="${PAGE_PATH}/sign-out" data-plain>
          <button class="button quiet">${texts.shell.signOut}</button>
        </form>`,
      navigationLabel: texts.shell.settings,
      navigation: navigation(view),
      main: html`<main
        id="main"
        data-signed-in
        data-page="${urlOf(pageOf(page, endpoint, tab))}"
        data-news="${newsUrl(view)}"
        ${scriptTexts(session)}
      >
        ${session.operator !== undefined && operatorBar(view, session.operator)}
        <p class="crumbs">
          ${texts.shell.settings} <span aria-hidden="true">›</span> ${texts.shell.pluginsAndApi}
          <span aria-hidden="true">›</span> ${crumbs(view)}
        </p>
        ${titleLine(view)} ${session.access === 'read' && notice('plain', texts.shell.readOnly)} ${unreadBanner(view)}
        <div id="page-notice" aria-live="assertive"></div>
        ${outcomeArea(outcome)} ${dialogArea(outcome?.dialog)} ${contentOf(files, view, outcome)}
        <footer class="preferences">
          ${languageForm(look)}${timeZoneNote(
            texts.shell.timesAreIn({ zone: look.reader.timeZone }),
            texts.shell.timesIn,
          )}
        </footer>
        ${session.access !== 'read' && unsavedBar}
      </main>`,
    }),
    SCRIPTS,
  );
}

/** Reminds an operator whose page this is, and ends the session. */
const operatorBar = ({ accountName }: View, operator: Operator): Markup =>
  html`<form method="post" action="${PAGE_PATH}/sign-out" class="notice warn operator-bar" id="operator-bar" data-plain>
    <span>${texts.shell.seenAs({ account: valueOf(accountName) ?? '–', operator: operatorName(operator) })}</span>
    <button class="button quiet">${texts.shell.end}</button>
  </form>`;

/** Says that figures are missing. A page whose update brings this keeps its other parts. */
function unreadBanner(view: LiveView): Markup {
  const { campaign, subscriptions, statuses, history, deliveries, deadLetters, groups } = view;
  const live = [campaign, subscriptions, statuses, history, deliveries, deadLetters, groups];
  const own = 'accountName' in view ? ownPartsOf(view as View) : [];
  const text = (strong: Content): Markup => html`<strong>${strong}</strong>`;
  return html`<div id="unread" role="status" data-part>
    ${[...live, ...own].some(isUnread) && notice('bad', texts.shell.unread({ strong: text }))}
  </div>`;
}

const ownPartsOf = ({ accountName, settings, secrets, ownSecrets, alerts }: View): readonly Loaded<unknown>[] => [
  accountName,
  settings,
  secrets,
  ownSecrets,
  ...(alerts === undefined ? [] : [alerts]),
];

/** What the scripts say. */
const scriptTexts = ({ portal }: Session): Markup =>
  html` data-unreachable="${texts.script.unreachable}" data-unreachable-typed="${texts.script.unreachableTyped}"
  data-failed="${texts.script.failed}"
  data-ended="${portal === undefined ? texts.script.ended : texts.script.endedPortal}"
  data-leave="${texts.script.leave}" data-copied="${texts.script.copied}"
  data-press-to-copy="${texts.script.pressToCopy}"`;

const newsUrl = ({ question: { page, endpoint } }: LiveView): string =>
  `${endpoint === '' ? pathOf(page) : `${pathOf(page)}/${encodeURIComponent(endpoint)}`}/news`;

function titleOf(view: LiveView): Content {
  const { page, endpoint } = view.question;
  const { shell } = texts;
  if (endpoint !== '') return shell.titleOfPage({ page: endpointOf(view)?.name ?? shell.endpoint });
  return page === 'overview'
    ? shell.webhooks
    : shell.titleOfPage({ page: NAVIGATION.find(([one]) => one === page)?.[1] });
}

function navigation(view: LiveView): Markup {
  const { page } = view.question;
  const counts: Readonly<Record<string, number | undefined>> = {
    endpoints: endpointsOf(view).filter(({ address }) => address !== undefined).length,
    'dead-letters': valueOf(view.deadLetters)?.total,
  };
  const counted = (name: string): Markup | false => {
    const value = counts[name] ?? 0;
    return value > 0 && html` <span class="count">${count(value)}</span>`;
  };
  return navigationList(
    NAVIGATION.map(([name, text]) => ({
      url: pathOf(name),
      icon: name,
      text,
      isCurrent: name === page,
      count: counted(name),
    })),
  );
}

/** As the specification names the place of the settings. */
function crumbs({ question: { page, endpoint } }: LiveView): Content {
  if (page === 'overview') return texts.shell.webhooks;
  const above = html`<a href="${PAGE_PATH}">${texts.shell.webhooks}</a>`;
  if (endpoint === '') return above;
  const list = html`<a href="${pathOf('endpoints')}">${texts.shell.endpoints}</a>`;
  return html`${above} <span aria-hidden="true">›</span> ${list}`;
}

function titleLine(view: View): Markup {
  const { page, endpoint } = view.question;
  const title = (text: Content, lead: Content, aside?: Content): Markup =>
    html`<div class="page-title">
        <h1>${text}</h1>
        <div class="actions end">${aside}</div>
      </div>
      <p class="lead">${lead}</p>`;
  if (endpoint !== '') {
    const found = endpointOf(view);
    const isUnknown = valueOf(view.subscriptions) !== undefined;
    return found === undefined
      ? title(texts.shell.endpoint, isUnknown && texts.shell.noSuchEndpoint)
      : endpointHeader(found, view);
  }
  switch (page) {
    case 'overview':
      return title(texts.shell.webhooks, texts.overview.lead, liveState);
    case 'endpoints':
      return title(texts.shell.endpoints, texts.endpoints.lead, liveState);
    case 'deliveries':
      return title(texts.shell.deliveries, texts.deliveries.lead, liveState);
    case 'dead-letters':
      return title(texts.shell.deadLetters, texts.deadLetters.lead, [liveState, deadLetterActions(view)]);
    case 'events':
      return title(texts.shell.events, texts.events.lead);
    case 'secrets':
      return title(texts.shell.secrets, texts.secrets.lead);
    case 'developers':
      return title(texts.shell.developers, texts.help.developersLead);
  }
}

function contentOf({ session, sessions, snippets }: PageFiles, view: View, outcome: Outcome | undefined): Markup {
  const { page, endpoint } = view.question;
  if (endpoint !== '') {
    const found = endpointOf(view);
    if (found === undefined && 'fault' in view.subscriptions) return notice('bad', view.subscriptions.fault);
    return found === undefined
      ? html`<p class="empty card">
          ${texts.shell.mayBeDeleted({ all: (words) => html`<a href="${pathOf('endpoints')}">${words}</a>` })}
        </p>`
      : endpointPage(found, view, outcome);
  }
  switch (page) {
    case 'overview':
      return overviewPage(view, outcome, snippets);
    case 'endpoints':
      return endpointsPage(view, outcome);
    case 'deliveries':
      return deliveriesList(view);
    case 'dead-letters':
      return deadLettersPage(view);
    case 'events':
      return eventSearch(view);
    case 'secrets':
      return secretsSection(view, outcome, snippets);
    case 'developers':
      return developersPage(session, sessions);
  }
}

/** The parts of a page that change without user action, for the page's script. They hold no text fields. */
export const liveDocument = (view: LiveView, reader: Reader): string =>
  html`${navigation(view)}${unreadBanner(view)}${liveParts(view)}`.toString(reader);

function liveParts(view: LiveView): Markup {
  const { page, endpoint, tab } = view.question;
  if (endpoint !== '') {
    const found = endpointOf(view);
    if (found === undefined) return html``;
    const log = tab === 'overview' || tab === 'deliveries' ? deliveryLog(view) : html``;
    // Why an inactive subscription is off is not read for updates.
    const state =
      found.isOn || endpoint === 'campaign'
        ? html`${endpointState(found, view)}${stateNotice(endpoint, view)}`
        : html``;
    return html`${state}${endpointLive(found, view)}${log}`;
  }
  switch (page) {
    case 'overview':
      return isFirstRun(view)
        ? firstRunLive(view)
        : html`${overviewLive(view)}${endpointsTable(view, ENDPOINTS_SHOWN)}`;
    case 'endpoints':
      return html`${unroutedNotice(view)}${endpointsTable(view)}`;
    case 'deliveries':
      return deliveryLog(view);
    case 'dead-letters':
      return html`${deadLetterActions(view)}${deadLettersLive(view)}`;
    case 'events':
    case 'secrets':
    case 'developers':
      return html``;
  }
}

export interface SignInOptions {
  /** Why the token was refused. */
  readonly error?: Content;
  /** A notice that is not about the token. */
  readonly notice?: Content;
  /** The page that opens afterwards. */
  readonly next?: string | undefined;
  /** Whether a link on another site led here, so that the browser may have kept the cookie of a session back. */
  readonly isFromElsewhere?: boolean;
}

export const signInDocument = (look: PageLook, options: SignInOptions): string =>
  frame(
    look,
    texts.access.signIn,
    html`<body class="sign-in">
      <main class="card" id="main">
        <p class="brand">${brandMark(look)}</p>
        <h1>${texts.access.webhookSettings}</h1>
        ${options.notice !== undefined && notice('warn', options.notice)}
        <form
          method="post"
          action="${PAGE_PATH}/sign-in"
          data-plain${options.isFromElsewhere === true && html` data-from-elsewhere`}
          novalidate
        >
          ${options.error !== undefined && html`<div role="alert">${notice('bad', options.error)}</div>`}
          <input type="text" autocomplete="username" value="access token" hidden />
          ${options.next !== undefined && hidden('next', options.next)}
          ${formField({
            id: 'token',
            label: texts.access.accessToken,
            hint: texts.access.tokenHint({ platform: look.brand.name }),
            control: (attributes) =>
              html`<input
                ${attributes}
                name="token"
                type="password"
                autocomplete="current-password"
                autofocus
                required${options.error !== undefined && html` aria-invalid="true"`}
              />`,
          })}
          <button class="button primary">${texts.access.signIn}</button>
        </form>
        <footer class="preferences">${languageForm(look)}</footer>
        ${backLink(look.brand, undefined)}
      </main>
    </body>`,
    SCRIPTS,
  );

export const LANGUAGE_PATH = `${PAGE_PATH}/language`;

const languageForm = ({ reader }: PageLook): Markup =>
  html`<form method="post" action="${LANGUAGE_PATH}" class="language" data-plain>
    <label class="unseen" for="language">${texts.shell.language}</label>
    <select id="language" name="language">
      ${LANGUAGES.map(
        (one) =>
          html`<option value="${one}" lang="${one}" ${one === reader.language && html` selected`}>
            ${LANGUAGE_NAMES[one]}
          </option>`,
      )}</select
    ><button class="button quiet" data-without-script>${texts.shell.change}</button>
  </form>`;
