import { LANGUAGES, operatorName } from '@mailhook/core';
import type { Operator, Session } from '@mailhook/core';
import { LIVE_SCRIPTS } from '../html/assets.ts';
import { formField, hidden, notice, PAGE_PATH, timeZoneNote, unseen } from '../html/elements.ts';
import { count } from '../html/formats.ts';
import { icon } from '../html/icons.ts';
import { html } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { LANGUAGE_NAMES } from '../html/reader.ts';
import type { Reader } from '../html/reader.ts';
import { navigationList, shell } from '../html/shell.ts';
import { texts } from '../messages/texts.ts';
import type { Outcome } from '../page/outcome.ts';
import { scriptTexts } from '../page/script-texts.ts';
import { dialogArea } from '../page/dialog.ts';
import { needsAttention } from './shared/destination-state.ts';
import { endpointsOf } from './shared/endpoints.ts';
import { searchField } from './events/content.ts';
import type { Frame, Shown } from './family.ts';
import { isUnread, loadedIn, valueOf } from './loaded.ts';
import type { Loaded } from './loaded.ts';
import { entryOf, NAVIGATION, pageOf, pathOf, urlOf } from './navigation.ts';
import { backLink, brandMark, frame } from './shared/page-frame.ts';
import type { PageLook } from './shared/page-frame.ts';
import { outcomeArea, unsavedBar } from './shared/page-parts.ts';

interface PageFiles {
  readonly look: PageLook;
  readonly session: Session;
  readonly accountName: Loaded<string>;
}

/** A whole page of a signed-in account. */
export function pageDocument(files: PageFiles, shown: Shown, view: Frame, outcome: Outcome | undefined): string {
  const { look, session, accountName } = files;
  const { page, endpoint, tab } = view.question;
  const account = valueOf(accountName) ?? '–';
  const troubled = troubledIn(view);
  return frame(
    look,
    [troubled > 0 && ['(', count(troubled), ') '], shown.title],
    shell({
      skip: texts.shell.skip,
      brand: brandMark(look),
      brandUrl: PAGE_PATH,
      place: account,
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
        ${scriptTexts(session.portal === undefined ? texts.script.ended : texts.script.endedPortal)}
      >
        ${session.operator !== undefined && operatorBar(account, session.operator)} ${crumbs(view)}${shown.head}
        ${session.access === 'read' && notice('plain', texts.shell.readOnly)}
        ${unreadBanner([...loadedIn(view), accountName])}
        <div id="page-notice" aria-live="assertive"></div>
        ${outcomeArea(outcome)} ${dialogArea(outcome?.dialog)} ${shown.content}
        <footer class="preferences">
          ${languageForm(look)}${timeZoneNote(
            texts.shell.timesAreIn({ zone: look.reader.timeZone }),
            texts.shell.timesIn,
          )}<button type="button" class="button bare" id="show-keys" data-with-script hidden>
            ${texts.shell.keys} <kbd>?</kbd>
          </button>
        </footer>
        ${keysDialog}${session.access !== 'read' && unsavedBar}
      </main>`,
    }),
    LIVE_SCRIPTS,
  );
}

/** The parts of a page that change without user action, for the page's script. They hold no text fields. */
export const liveDocument = (view: Frame, parts: Content, reader: Reader): string =>
  html`${navigation(view)}${unreadBanner(loadedIn(view))}${parts}`.toString(reader);

/** The keys that the script of the page knows. */
const keysDialog = html`<dialog id="keys" class="card keys" aria-labelledby="keys-title">
  <form method="dialog">
    <h2 id="keys-title">${texts.shell.keys}</h2>
    <dl>
      ${(
        [
          ['/', texts.shell.keySearch],
          ['j', texts.shell.keyNext],
          ['k', texts.shell.keyBefore],
          ['Enter', texts.shell.keyOpen],
          ['Esc', texts.shell.keyClose],
          ['?', texts.shell.keyKeys],
        ] as const
      ).map(
        ([key, text]) =>
          html`<div>
            <dt><kbd>${key}</kbd></dt>
            <dd>${text}</dd>
          </div>`,
      )}
    </dl>
    <button class="button quiet">${texts.attempt.close}</button>
  </form>
</dialog>`;

/** Reminds an operator whose page this is, and ends the session. */
const operatorBar = (account: string, operator: Operator): Markup =>
  html`<form method="post" action="${PAGE_PATH}/sign-out" class="notice warn operator-bar" id="operator-bar" data-plain>
    <span>${texts.shell.seenAs({ account, operator: operatorName(operator) })}</span>
    <button class="button quiet">${texts.shell.end}</button>
  </form>`;

/** Says that figures are missing. A page whose update brings this keeps its other parts. */
function unreadBanner(loaded: readonly Loaded<unknown>[]): Markup {
  const text = (strong: Content): Markup => html`<strong>${strong}</strong>`;
  return html`<div id="unread" aria-live="polite" data-part data-banner>
    ${loaded.some(isUnread) && notice('bad', texts.shell.unread({ strong: text }))}
  </div>`;
}

const newsUrl = ({ question: { page, endpoint } }: Frame): string =>
  `${endpoint === '' ? pathOf(page) : `${pathOf(page)}/${encodeURIComponent(endpoint)}`}/news`;

/** Endpoints that need attention. The script of the page shows their number in the window's title. */
const troubledIn = (view: Frame): number => endpointsOf(view).filter(needsAttention).length;

function navigation(view: Frame): Markup {
  const { page } = view.question;
  const troubled = troubledIn(view);
  const letters = valueOf(view.deadLetters)?.total ?? 0;
  const counted: Readonly<Record<string, Content>> = {
    endpoints:
      troubled > 0 &&
      html` <span class="count bad" data-troubled="${troubled}"
        >${texts.shell.troubled({ hidden: unseen, troubled })}</span
      >`,
    'dead-letters': letters > 0 && html` <span class="count">${count(letters)}</span>`,
  };
  return navigationList(
    NAVIGATION.map(([name, text]) => ({
      url: pathOf(name),
      icon: name,
      text,
      isCurrent: name === entryOf(page),
      count: counted[name],
    })),
  );
}

/** The page that this one belongs to. The navigation has all other places. */
function crumbs({ question: { page, endpoint } }: Frame): Content {
  const above = NAVIGATION.find(([name]) => name === entryOf(page));
  if (above === undefined || (endpoint === '' && above[0] === page)) return false;
  return html`<p class="crumbs">
    <a href="${pathOf(above[0])}"><span aria-hidden="true">‹ </span>${above[1]}</a>
  </p>`;
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
        <p class="lead">${texts.access.lead({ platform: look.brand.name })}</p>
        ${options.notice !== undefined && notice('warn', options.notice)}
        <form
          method="post"
          action="${PAGE_PATH}/sign-in"
          data-plain${options.isFromElsewhere === true && html` data-from-elsewhere`}
          novalidate
        >
          <input type="text" autocomplete="username" value="access token" hidden />
          ${options.next !== undefined && hidden('next', options.next)}
          ${formField({
            id: 'token',
            label: texts.access.accessToken,
            hint: texts.access.tokenHint({ platform: look.brand.name }),
            error: options.error,
            control: (attributes) =>
              html`<input
                ${attributes}
                name="token"
                type="password"
                autocomplete="current-password"
                autofocus
                required
              />`,
          })}
          <div class="check" hidden>
            <input type="checkbox" id="show-token" /> <label for="show-token">${texts.access.showToken}</label>
          </div>
          <button class="button primary">${texts.access.signIn}</button>
        </form>
        <footer class="preferences">${languageForm(look)}</footer>
        ${backLink(look.brand, undefined)}
      </main>
    </body>`,
    ['sign-in.js', ...LIVE_SCRIPTS],
  );

export const LANGUAGE_PATH = `${PAGE_PATH}/language`;

const languageForm = ({ reader }: PageLook): Markup =>
  html`<form method="post" action="${LANGUAGE_PATH}" class="language" data-plain>
    <label class="unseen" for="language">${texts.shell.language}</label>
    <select id="language" name="language">
      ${LANGUAGES.map(
        (one) =>
          html`<option value="${one}" lang="${one}" ${one === reader.language && html`selected`}>
            ${LANGUAGE_NAMES[one]}
          </option>`,
      )}</select
    ><button class="button quiet" data-without-script>${texts.shell.change}</button>
  </form>`;
