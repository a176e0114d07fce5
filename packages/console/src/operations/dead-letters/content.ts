import type { DeadLetterSummary } from '@mailhook/core';
import { capitalized, causeIn, deadLetterGroupId, destinationIdOf, formatCount, plural } from '@mailhook/core';
import { agoOf, hidden, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { nextLink } from '../accounts/content.ts';
import { buttonForm } from '../forms.ts';
import { accountUrl, destinationUrl } from '../navigation.ts';
import type { PageContext } from '../view.ts';
import { countText, destinationName, eventsOf, groupByHost, membersField, sentence } from './groups.ts';
import type { AccountDeadLetter, HostGroup } from './groups.ts';

interface DeadLettersPage {
  readonly items: readonly AccountDeadLetter[];
  readonly nextCursor?: string | undefined;
  /** No other page has newer or older ones. */
  readonly isWhole: boolean;
}

/** What becomes of the redrives of the accounts on the page. */
export type Summaries = ReadonlyMap<string, DeadLetterSummary>;

/** Dead letters of a page, grouped by host and cause. */
export function deadLettersContent(
  { items, nextCursor, isWhole }: DeadLettersPage,
  summaries: Summaries,
  context: PageContext,
): Markup {
  const groups = groupByHost(items);
  return html`<ul class="rows card flush" id="dead-letters" data-part data-list>
      ${
        groups.length === 0
          ? html`<li class="empty" id="no-dead-letters" data-part>
              <strong>None</strong>Events that are given up stay here for ${context.deadLettersDays} days.
            </li>`
          : groups.map((group) => groupRow(group, { summaries, isWhole }, context))
      }
    </ul>
    ${nextLink('dead-letters', nextCursor)}`;
}

const lettersText = (letters: readonly AccountDeadLetter[], isWhole: boolean): string =>
  `${isWhole ? '' : 'at least '}${countText(letters.length, eventsOf(letters))}`;

/** Events that a run in progress has not redriven yet. */
const leftOf = (summary: DeadLetterSummary | undefined): number =>
  summary?.redriven?.state === 'running' ? summary.redriven.left : 0;

interface Known {
  readonly summaries: Summaries;
  readonly isWhole: boolean;
}

function groupRow({ id, host, cause, letters }: HostGroup, known: Known, context: PageContext): Markup {
  const destinations = new Map<string, AccountDeadLetter[]>();
  for (const one of letters) {
    const destination = destinationIdOf(one.account, one.destination);
    destinations.set(destination, [...(destinations.get(destination) ?? []), one]);
  }
  const accounts = [...new Set(letters.map(({ account }) => account))];
  const left = accounts.reduce((sum, account) => sum + leftOf(known.summaries.get(account)), 0);
  const of = unseen([': ', host, ', ', sentence(cause)]);
  const button = (value: string, text: string): Markup =>
    html`<button class="button quiet" name="do" value="${value}">${text}${of}</button>`;
  const rows = [...destinations].map(([destination, own]) =>
    destinationRow({ destination, letters: own, isWhole: known.isWhole }, context),
  );
  const some = html`<p class="muted">
    ${capitalized(lettersText(letters, known.isWhole))}, at ${formatCount(destinations.size)} destinations of
    ${plural(accounts.length, 'account', 'accounts')}, newest ${letters[0] && agoOf(letters[0].time)}.
  </p>`;
  const running = html`<p>
    All redrives of ${accounts.length === 1 ? 'this account' : 'these accounts'}, also of other groups, have
    ${plural(left, 'event', 'events')} left. Stop ends all of them.
  </p>`;
  return html`<li id="letters-${id}" data-part>
    <div>
      <p><strong>${host}</strong>: ${sentence(cause)}</p>
      ${rows.length > 1 && some} ${left > 0 && running}
    </div>
    <div class="row actions">
      ${buttonForm(
        html`${hidden('host', host)}${hidden('members', membersField(letters))}${
          left > 0 && button('stop-redrive', 'Stop')
        }${button('ask-redrive', 'Redrive all…')}`,
      )}
    </div>
    ${
      rows.length === 1
        ? html`<ul class="members">
            ${rows}
          </ul>`
        : html`<details class="example members" id="members-${id}">
            <summary>${formatCount(rows.length)} destinations${of}</summary>
            <ul>
              ${rows}
            </ul>
          </details>`
    }
  </li>`;
}

interface DestinationLetters {
  readonly destination: string;
  readonly letters: readonly AccountDeadLetter[];
  readonly isWhole: boolean;
}

/** One destination of a group. Its button is for all its dead letters of the cause, also those of another host. */
function destinationRow(
  { destination, letters, isWhole }: DestinationLetters,
  { names }: PageContext,
): Markup | undefined {
  const [newest] = letters;
  if (newest === undefined) return undefined;
  const { account, time } = newest;
  const title = destinationName(account, newest.destination, names);
  const owner = names.get(account) ?? account;
  const of = [title, ' of ', owner, ', ', sentence(causeIn(newest.error))];
  return html`<li>
    <p class="muted">
      <a href="${destinationUrl(destination)}">${title === destination ? html`<code>${destination}</code>` : title}</a>
      of <a href="${accountUrl(account)}">${owner}</a>: ${lettersText(letters, isWhole)}, newest ${agoOf(time)}.
    </p>
    ${buttonForm(
      html`${hidden('account', account)}${hidden('group', deadLetterGroupId(newest))}<button
          class="button quiet"
          name="do"
          value="ask-discard"
        >
          Discard…${unseen([' ', ...of])}
        </button>`,
    )}
  </li>`;
}
