import { operatorName } from '@mailhook/core';
import type { ListedSession, Session } from '@mailhook/core';
import { agoOf, PAGE_PATH, section } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';

/**
 * Who is signed in with the same token, or by portal links, and for those who may manage a button that ends all of
 * these sessions.
 */
export const sessionsSection = ({ portal, access }: Session, sessions: readonly ListedSession[]): Markup =>
  section(
    {
      id: 'sessions',
      title: texts.help.sessions,
      lead: portal === undefined ? texts.help.sessionsOfToken : texts.help.sessionsOfPortal,
    },
    html`<ul class="rows card flush" id="session-list" data-part>
        ${sessions.map(
          ({ startedAt, isCurrent, operator }) =>
            html`<li>
              <p>
                ${texts.help.since({ time: agoOf(startedAt) })}${
                  operator !== undefined && html` <span>${texts.help.operator({ name: operatorName(operator) })}</span>`
                }${isCurrent && html` <span class="muted">${texts.help.thisBrowser}</span>`}
              </p>
            </li>`,
        )}${sessions.length === 0 && html`<li class="empty">${texts.help.sessionsAway}</li>`}
      </ul>
      ${
        access !== 'read' &&
        html`<form method="post" action="${PAGE_PATH}/sign-out" data-plain>
          <button class="button quiet" name="everywhere" value="1">${texts.help.signOutEverywhere}</button>
        </form>`
      }`,
  );
