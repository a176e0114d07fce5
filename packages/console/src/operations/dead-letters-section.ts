import type { DeadLetter } from '@mailhook/core';
import { destinationIdOf, formatCount, hash32, plural, withoutQuotations } from '@mailhook/core';
import { hidden, section, timeOf, unseen } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { accountLink, excerpt, maskedAddress } from './destination-cards.ts';
import type { CardContext } from './destination-cards.ts';
import { findUrl, OVERVIEW_PATH } from './view.ts';

type AccountDeadLetter = DeadLetter & { readonly account: string };

/** Groups with their forms, so that the page stays small. */
const GROUPS_SHOWN = 8;

/** The newest dead letters, grouped by destination, those with the most events first. */
export function deadLettersSection(
  deadLetters: readonly AccountDeadLetter[],
  total: number,
  context: CardContext,
): Markup {
  const byPlace = new Map<string, AccountDeadLetter[]>();
  for (const deadLetter of deadLetters) {
    const key = destinationIdOf(deadLetter);
    byPlace.set(key, [...(byPlace.get(key) ?? []), deadLetter]);
  }
  const groups = [...byPlace.values()].sort((a, b) => eventsOf(b) - eventsOf(a));
  const shown = groups.slice(0, GROUPS_SHOWN);
  const kept = `Given up, and kept for ${context.deadLettersDays} days.`;
  const newest =
    total > deadLetters.length
      ? ` The newest ${formatCount(deadLetters.length)} of ${formatCount(total)} count here.`
      : '';
  const rest =
    groups.length > shown.length
      ? ` ${plural(groups.length - shown.length, 'further destination', 'further destinations')}: find the account, or use GET /admin/dead-letters.`
      : '';
  return section(
    {
      id: 'dead-letters',
      title: 'Dead letters',
      lead: markup`<span id="dead-letters-lead" data-part>${kept + newest + rest}</span>`,
    },
    markup`<ul class="rows card flush" id="dead-letter-groups" data-part data-list>${
      shown.length === 0
        ? markup`<li class="empty" id="no-dead-letters" data-part><strong>None</strong>Events that are given up stay here for ${context.deadLettersDays} days.</li>`
        : shown.map((group) => groupRow(group, context))
    }</ul>`,
  );
}

const eventsOf = (group: readonly AccountDeadLetter[]): number => group.reduce((sum, { events }) => sum + events, 0);

function groupRow(group: readonly AccountDeadLetter[], context: CardContext): Markup | undefined {
  const [newest] = group;
  if (newest === undefined) return undefined;
  const { account, address, error, time } = newest;
  const destination = destinationIdOf(newest);
  const id = hash32(destination);
  const of = ` those of ${account} to ${maskedAddress(address)}`;
  const form = (fields: Content): Markup =>
    markup`<form method="post" action="${OVERVIEW_PATH}">${hidden('account', account)}${hidden(
      'destination',
      destination,
    )}${hidden('back', context.back)}${fields}</form>`;
  return markup`<li id="letters-${id}" data-part><div><p><strong>${plural(eventsOf(group), 'event', 'events')}</strong> in ${plural(group.length, 'dead letter', 'dead letters')} to <span class="address">${maskedAddress(address)}</span></p>
<p class="muted">Destination <a href="${findUrl(destination)}"><code>${destination}</code></a>.
Account ${accountLink(account, context.names)}. Newest ${timeOf(time)}: ${excerpt(withoutQuotations(error))}</p></div>
<div class="row actions">${form(markup`<button class="button quiet" name="do" value="redrive">Re-drive${unseen(of)}</button>`)}
<details id="discard-these-${id}"><summary class="button quiet">Discard…${unseen(of)}</summary>
<div class="inset"><p>All dead letters of this destination are deleted, and the events in them are lost.
Nothing brings them back.</p>
${form(
  markup`<div class="field"><label for="discard-${id}">Type <code>${account}</code> to confirm</label>
<input id="discard-${id}" name="confirm" autocomplete="off" required pattern="${account}"></div>
<button class="button danger" name="do" value="discard">Discard them</button>`,
)}</div></details></div></li>`;
}
