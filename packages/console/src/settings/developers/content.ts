import type { ListedAccessToken, ListedSession, Session } from '@mailhook/core';
import { unseen } from '../../html/elements.ts';
import { icon } from '../../html/icons.ts';
import type { IconName } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Localized, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { pathOf } from '../navigation.ts';
import type { Outcome } from '../../page/outcome.ts';
import type { Loaded } from '../loaded.ts';
import { tokensSection } from './tokens-section.ts';
import { sessionsSection } from './sessions-section.ts';

const LINKS: readonly (readonly [url: string, image: IconName, title: Localized, text: Localized])[] = [
  ['/docs/guides', 'guides', texts.shell.guides, texts.help.guidesText],
  ['/docs', 'developers', texts.help.apiReference, texts.help.apiReferenceText],
  [pathOf('event-types'), 'event-types', texts.catalog.title, texts.catalog.lead],
  ['/openapi.json', 'copy', texts.help.openApi, texts.help.openApiText],
];

interface DevelopersView {
  readonly session: Session;
  readonly sessions: readonly ListedSession[];
  readonly tokens: Loaded<readonly ListedAccessToken[]>;
  readonly baseUrl: string;
  readonly nowMs: number;
}

/** The documentation, the access tokens, and the browsers that are signed in. */
export const developersPage = (view: DevelopersView, outcome: Outcome | undefined): Markup =>
  html`<div class="card">
      <h2>${texts.help.baseUrl}</h2>
      <p class="copy-line">
        <code id="base-url">${view.baseUrl}</code
        ><button type="button" class="button bare" data-copy="base-url" hidden>
          ${icon('copy')}${unseen(texts.secrets.copy)}
        </button>
      </p>
      <p class="hint">${texts.help.baseUrlHint}</p>
    </div>
    <ul class="links">
      ${LINKS.map(
        ([url, image, title, text]) =>
          html`<li class="card">
            ${icon(image)}
            <p><a class="whole" href="${url}">${title}</a><br /><span class="muted">${text}</span></p>
          </li>`,
      )}
    </ul>
    ${tokensSection(view, outcome)} ${sessionsSection(view.session, view.sessions)}`;
