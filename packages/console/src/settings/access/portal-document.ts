import { hidden, notice, PAGE_PATH } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { backLink, brandMark, frame } from '../shared/page-frame.ts';
import type { PageLook } from '../shared/page-frame.ts';

export const PORTAL_PATH = '/settings/portal';

const WITHOUT_QUERY = html`<div data-incomplete hidden>${notice('warn', texts.access.incompleteLink)}</div>
  <noscript>${notice('warn', texts.access.linkNeedsScript)}</noscript>`;

/** Says whose settings the link opens, and has the button that opens them. No script presses it. */
export const portalDocument = (look: PageLook, link: string, account: string): string =>
  card(
    look,
    html`<p>${opens(account)}</p>
      <form method="post" action="${PORTAL_PATH}">
        ${hidden('link', link)}
        <button class="button primary">${texts.access.openSettings}</button>
      </form>`,
  );

/**
 * The page of a link whose account is not known yet: its button asks for the page above. If `link` is empty, the link
 * is in the fragment, where only the script finds it. `fault` says why an earlier press did not work.
 */
export const unknownLinkDocument = (look: PageLook, link: string, fault?: Content): string =>
  card(
    look,
    html`${fault !== undefined && html`<div role="alert">${notice('bad', fault)}</div>`}
      <form method="post" action="${PORTAL_PATH}" ${link === '' && html`data-fragment`}>
        ${hidden('link', link)}
        <button class="button primary" name="show" value="1">${texts.access.continue}</button>
      </form>
      ${link === '' && WITHOUT_QUERY}`,
    link === '' ? ['portal.js'] : [],
  );

/** Asks whether the link may end the browser's session of another account. */
export const replaceDocument = (look: PageLook, link: string, account: string): string =>
  card(
    look,
    html`${notice('warn', texts.access.otherAccount)}
      <p>${opens(account)}</p>
      <form method="post" action="${PORTAL_PATH}">
        ${hidden('link', link)}
        <button class="button primary" name="replace" value="1">${texts.access.changeAccount}</button>
        <a class="button quiet" href="${PAGE_PATH}">${texts.access.stay}</a>
      </form>`,
  );

const opens = (account: string): Content => texts.access.opens({ account: html`<strong>${account}</strong>` });

/**
 * Says why there are no settings to see, in place of a form for an access token, which most users of a portal do not
 * have. In a frame nobody has one.
 */
export const closedDocument = (look: PageLook, text: Content, isFramed: boolean): string =>
  card(
    look,
    html`${notice('warn', text)}
    ${!isFramed && html`<p><a class="button quiet" href="${PAGE_PATH}">${texts.access.signIn}</a></p>`}
    ${backLink(look.brand, undefined)}`,
  );

const card = (look: PageLook, content: Markup, scripts: readonly 'portal.js'[] = []): string =>
  frame(
    look,
    texts.access.webhookSettings,
    html`<body class="sign-in">
      <main class="card" id="main">
        <p class="brand">${brandMark(look)}</p>
        <h1>${texts.access.webhookSettings}</h1>
        ${content}
      </main>
    </body>`,
    scripts,
  );
