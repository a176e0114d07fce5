import { notice, PAGE_PATH } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';
import { backLink, brandMark, frame } from './page-frame.ts';
import type { PageLook } from './page-frame.ts';

export const PORTAL_PATH = '/settings/portal';

const WITHOUT_QUERY = markup`<div data-incomplete hidden>${notice('warn', texts.access.incompleteLink)}</div>
<noscript>${notice('warn', texts.access.linkNeedsScript)}</noscript>`;

/**
 * The page of a portal link. `link` is empty if the link is in the fragment, where only the script finds it. Its script
 * presses the button. After a failure, described by `fault`, the user does.
 */
export const portalDocument = (look: PageLook, link: string, fault?: Content): string =>
  card(
    look,
    markup`${fault !== undefined && markup`<div role="alert">${notice('bad', fault)}</div>`}
<form method="post" action="${PORTAL_PATH}"${fault === undefined && markup` data-send`}>
<input type="hidden" name="link" value="${link}">
<button class="button primary">${texts.access.openSettings}</button>
</form>${link === '' && WITHOUT_QUERY}`,
    fault === undefined ? ['portal.js'] : [],
  );

/** Asks whether the link may end the browser's session of another account. */
export const replaceDocument = (look: PageLook, link: string): string =>
  card(
    look,
    markup`${notice('warn', texts.access.otherAccount)}
<form method="post" action="${PORTAL_PATH}">
<input type="hidden" name="link" value="${link}">
<button class="button primary" name="replace" value="1">${texts.access.changeAccount}</button>
<a class="button quiet" href="${PAGE_PATH}">${texts.access.stay}</a>
</form>`,
    [],
  );

/**
 * Says why there are no settings to see, in place of a form for an access token, which the users of a portal do not
 * have.
 */
export const closedDocument = (look: PageLook, text: Content): string =>
  card(look, markup`${notice('warn', text)}${backLink(look.brand, undefined)}`, []);

const card = (look: PageLook, content: Markup, scripts: readonly 'portal.js'[]): string =>
  frame(
    look,
    texts.access.webhookSettings,
    markup`<body class="sign-in">
<main class="card" id="main">
<p class="brand">${brandMark(look)}</p>
<h1>${texts.access.webhookSettings}</h1>
${content}
</main>
</body>`,
    scripts,
  );
