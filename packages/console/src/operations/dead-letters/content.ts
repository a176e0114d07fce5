import type { CodedText, DeadLetterSummary } from '@mailhook/core';
import {
  deadLetterGroupId,
  destinationIdOf,
  endpointKey,
  formatCount,
  hash32,
  plural,
  withoutQuotations,
} from '@mailhook/core';
import { agoOf, hidden, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { plainSentence } from '../../messages/coded.ts';
import { nextLink } from '../accounts/content.ts';
import { excerpt, maskedAddress } from '../destinations/destination-table.ts';
import { buttonForm, confirmed } from '../forms.ts';
import { accountUrl, destinationUrl } from '../navigation.ts';
import type { PageContext } from '../view.ts';
import { eventsOf, groupByHost, membersField } from './groups.ts';
import type { AccountDeadLetter, HostGroup } from './groups.ts';

interface DeadLettersPage {
  readonly items: readonly AccountDeadLetter[];
  readonly nextCursor?: string | undefined;
}

/** What becomes of the redrives of the accounts on the page. */
export type Summaries = ReadonlyMap<string, DeadLetterSummary>;

/** Dead letters of a page, grouped by host and cause. */
export function deadLettersContent(
  { items, nextCursor }: DeadLettersPage,
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
          : groups.map((group) => groupRow(group, { summaries, items, isWhole: nextCursor === undefined }, context))
      }
    </ul>
    ${nextLink('dead-letters', nextCursor)}`;
}

/** What customers read of the same cause, without what it quotes of a reply. */
const sentence = (cause: CodedText): Content => plainSentence(cause, (value) => excerpt(withoutQuotations(value)));

const lettersText = (letters: readonly AccountDeadLetter[]): string =>
  plural(letters.length, 'dead letter', 'dead letters') +
  (eventsOf(letters) === letters.length ? '' : ` with ${plural(eventsOf(letters), 'event', 'events')}`);

/** Events that a run in progress has not redriven yet. */
const leftOf = (summary: DeadLetterSummary | undefined): number =>
  summary?.redriven?.state === 'running' ? summary.redriven.left : 0;

interface Known {
  readonly summaries: Summaries;
  /** All of the page. */
  readonly items: readonly AccountDeadLetter[];
  /** No other page has older ones. */
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
    destinationRow(id, { destination, letters: own, known }, context),
  );
  const some = html`<p class="muted">
    ${lettersText(letters)}, at ${formatCount(destinations.size)} destinations of
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
  readonly known: Known;
  readonly destination: string;
  readonly letters: readonly AccountDeadLetter[];
}

/** One destination of a group. Discarded are all its dead letters of the cause, also those of another host. */
function destinationRow(
  group: number,
  { destination, letters, known }: DestinationLetters,
  { names }: PageContext,
): Markup | undefined {
  const [newest] = letters;
  if (newest === undefined) return undefined;
  const { account, address, time } = newest;
  const cause = deadLetterGroupId(newest);
  const discarded = known.items.filter((one) => one.account === account && deadLetterGroupId(one) === cause);
  const endpoint = names.get(endpointKey(destination));
  return html`<li>
    <p class="muted">
      <a href="${destinationUrl(destination)}"
        >${endpoint === undefined ? html`<code>${destination}</code>` : excerpt(endpoint)}</a
      >
      of <a href="${accountUrl(account)}">${names.get(account) ?? account}</a>: ${lettersText(letters)}, newest
      ${agoOf(time)}.
    </p>
    ${confirmed(
      {
        id: `discard-${hash32(`${group} ${destination}`)}`,
        summary: 'Discard…',
        of: `those of ${account} to ${maskedAddress(address)}`,
        text:
          `${known.isWhole ? '' : 'At least '}${lettersText(discarded)}: all that this destination has of this ` +
          'cause. They are deleted with their events. Nothing brings them back.',
        type: account,
        button: 'Discard them',
        value: 'discard',
      },
      (fields) =>
        buttonForm(
          html`${hidden('account', account)}${hidden('destination', destination)}${hidden('group', cause)}${fields}`,
        ),
    )}
  </li>`;
}
