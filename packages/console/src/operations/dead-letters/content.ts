import type { CodedText, DeadLetter, DeadLetterGroup } from '@mailhook/core';
import {
  causeIn,
  destinationIdOf,
  endpointKey,
  groupDeadLetters,
  hash32,
  plural,
  withoutQuotations,
} from '@mailhook/core';
import { agoOf, hidden, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { plainSentence } from '../../messages/coded.ts';
import { nextLink } from '../accounts/content.ts';
import { accountLink, excerpt, maskedAddress } from '../destinations/destination-table.ts';
import { buttonForm, confirmed } from '../forms.ts';
import { destinationUrl } from '../navigation.ts';
import type { PageContext } from '../view.ts';

type AccountDeadLetter = DeadLetter & { readonly account: string };

interface DeadLettersPage {
  readonly items: readonly AccountDeadLetter[];
  readonly nextCursor?: string | undefined;
}

/** Dead letters of a page, grouped by destination, those with the most events first. */
export function deadLettersContent({ items, nextCursor }: DeadLettersPage, context: PageContext): Markup {
  const byDestination = new Map<string, AccountDeadLetter[]>();
  for (const one of items) {
    const key = destinationIdOf(one.account, one.destination);
    byDestination.set(key, [...(byDestination.get(key) ?? []), one]);
  }
  const groups = [...byDestination.values()].sort((a, b) => eventsOf(b) - eventsOf(a));
  return html`<ul class="rows card flush" id="dead-letters" data-part data-list>
      ${
        groups.length === 0
          ? html`<li class="empty" id="no-dead-letters" data-part>
              <strong>None</strong>Events that are given up stay here for ${context.deadLettersDays} days.
            </li>`
          : groups.map((group) => groupRow(group, context))
      }
    </ul>
    ${nextLink('dead-letters', nextCursor)}`;
}

const eventsOf = (group: readonly AccountDeadLetter[]): number => group.reduce((sum, { events }) => sum + events, 0);

/** What customers read of the same cause, without what it quotes of a reply. */
const causeLine = ({ error, events }: DeadLetterGroup): Markup =>
  html`<p><strong>${plural(events, 'event', 'events')}</strong>: ${sentence(error)}</p>`;

const sentence = (error: CodedText): Content =>
  plainSentence(causeIn(error), (value) => excerpt(withoutQuotations(value)));

function groupRow(group: readonly AccountDeadLetter[], { names }: PageContext): Markup | undefined {
  const [newest] = group;
  if (newest === undefined) return undefined;
  const { account, address, time } = newest;
  const destination = destinationIdOf(account, newest.destination);
  const id = hash32(destination);
  const endpoint = names.get(endpointKey(destination));
  const of = `those of ${account} to ${maskedAddress(address)}`;
  const form = (fields: Content): Markup =>
    buttonForm(html`${hidden('account', account)}${hidden('destination', destination)}${fields}`);
  return html`<li id="letters-${id}" data-part>
    <div>
      ${groupDeadLetters(group).map(causeLine)}
      <p class="muted">
        <a href="${destinationUrl(destination)}"
          >${endpoint === undefined ? html`<code>${destination}</code>` : excerpt(endpoint)}</a
        >
        <span class="address">${maskedAddress(address)}</span> of ${accountLink(account, names)}.
        ${plural(group.length, 'dead letter', 'dead letters')}, newest ${agoOf(time)}.
      </p>
    </div>
    <div class="row actions">
      ${form(html`<button class="button quiet" name="do" value="redrive">Redrive${unseen(` ${of}`)}</button>`)}
      ${confirmed(
        {
          id: `discard-${id}`,
          summary: 'Discard…',
          of,
          text:
            'All dead letters of this destination are deleted, and the events in them are lost. ' +
            'Nothing brings them back.',
          type: account,
          button: 'Discard them',
          value: 'discard',
        },
        form,
      )}
    </div>
  </li>`;
}
