import { operatorName } from '@mailhook/core';
import type { ListedSession, Session } from '@mailhook/core';
import { agoOf, PAGE_PATH, section, timeWords, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';

/** The first match counts, because browsers name each other. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg/, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

const customer = (agent: string | undefined, client: string | undefined): Markup =>
  html`<bdi>${browserName(agent)}</bdi> <bdi class="muted">${client}</bdi>`;

/** Such as `Firefox, Windows`. What is not known is as the browser says it. */
function browserName(agent = '–'): string {
  const names = [BROWSERS, SYSTEMS].flatMap((known) => known.find(([words]) => words.test(agent))?.[1] ?? []);
  return names.length === 0 ? agent : names.join(', ');
}

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
        ${groupsOf(sessions).map(([first, ...others]) => [
          first !== undefined && item(first, access),
          others.length > 0 &&
            html`<li>
              <details id="alike-${first?.id}">
                <summary class="button quiet">${texts.help.alike({ sessions: others.length })}</summary>
                <ul class="rows">
                  ${others.map((one) => item(one, access))}
                </ul>
              </details>
            </li>`,
        ])}${sessions.length === 0 && html`<li class="empty">${texts.help.sessionsAway}</li>`}
      </ul>
      ${
        access !== 'read' &&
        html`<form method="post" action="${PAGE_PATH}/sign-out" data-plain>
          <button class="button quiet" name="everywhere" value="1">${texts.help.signOutEverywhere}</button>
        </form>`
      }`,
  );

/** The newest session of each browser and place. Equal sessions look the same to a reader. */
function groupsOf(sessions: readonly ListedSession[]): readonly (readonly ListedSession[])[] {
  const groups = new Map<string, ListedSession[]>();
  for (const one of sessions) {
    const { isCurrent, operator, agent, client } = one;
    const key = isCurrent ? '' : JSON.stringify([operator, browserName(agent), client]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

const item = (
  { id, startedAt, isCurrent, operator, agent, client }: ListedSession,
  access: Session['access'],
): Markup =>
  html`<li>
    <p>
      ${operator === undefined && html`${customer(agent, client)}<br />`}
      ${texts.help.since({ time: agoOf(startedAt) })}${
        operator !== undefined && html` <span>${texts.help.operator({ name: operatorName(operator) })}</span>`
      }${isCurrent && html` <span class="muted">${texts.help.thisBrowser}</span>`}
    </p>
    ${
      !isCurrent &&
      access !== 'read' &&
      html`<form method="post" action="${PAGE_PATH}/sign-out" data-plain>
        <button class="button quiet" name="session" value="${id}">
          ${texts.help.endSession({ hidden: unseen, time: timeWords(startedAt) })}
        </button>
      </form>`
    }
  </li>`;
