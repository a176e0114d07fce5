import { formatCount, groupFailing, plural, withoutQuotations } from '@mailhook/core';
import type { DestinationView, FailingReceiver } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { agoOf, hidden, section, unseen } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { action, needed } from '../family.ts';
import { done, refused } from '../../page/outcome.ts';
import { accountUrl, destinationUrl, pageUrl } from '../navigation.ts';
import { buttonForm } from '../forms.ts';
import type { PageContext } from '../view.ts';
import { excerpt, titleOf } from './destination-table.ts';

/** Maximum number on the overview. The page of destinations lists all. */
const GROUPS_SHOWN = 6;
const ACCOUNTS_SHOWN = 1;

/**
 * Failing destinations by host and cause, with one button for all of a group. Nothing if none fails. `aside`: a link to
 * the destinations, where they are not on the page.
 */
export function failingReceivers(views: readonly DestinationView[], context: PageContext, aside?: Content): Content {
  const groups = groupFailing(views, context.nowMs);
  const shown = aside === undefined ? groups : groups.slice(0, GROUPS_SHOWN);
  const more = groups.length - shown.length;
  return html`<div id="failing" data-part>
    ${
      groups.length > 0 &&
      section(
        {
          id: 'receivers',
          title: 'Failing receivers',
          lead: 'Destinations with waiting events that fail in the same way at the same host.',
          aside,
        },
        html`${table(shown, context)}${
          more > 0 &&
          html`<p class="more-line">
            <a href="${pageUrl('destinations', '', { state: 'attention' })}"
              >And ${plural(more, 'other host or cause', 'other hosts or causes')}</a
            >
          </p>`
        }`,
      )
    }
  </div>`;
}

const table = (groups: readonly FailingReceiver[], context: PageContext): Markup =>
  html`<div class="card flush">
    <table class="table static">
      <caption class="unseen">
        Failing receivers
      </caption>
      <thead>
        <tr>
          <th scope="col">Receiver</th>
          <th scope="col" class="wide">Account</th>
          <th scope="col" class="number">Destinations</th>
          <th scope="col" class="number wide">Events</th>
          <th scope="col" class="number wide">Oldest</th>
          <th scope="col"><span class="unseen">Action</span></th>
        </tr>
      </thead>
      <tbody>
        ${groups.map((group) => row(group, context))}
      </tbody>
    </table>
  </div>`;

function row({ host, cause, destinations, accounts, events, oldestAt }: FailingReceiver, context: PageContext) {
  const [first] = destinations;
  // The reply of a receiver may have secrets, so operators do not read what a cause quotes.
  const why = excerpt(withoutQuotations(String(cause)));
  const isSingle = destinations.length === 1 && first !== undefined;
  const name = isSingle && html`<a href="${destinationUrl(first.id)}">${titleOf(first, context.names)}</a>`;
  return html`<tr>
    <th scope="row">${name} <span class="${name !== false && 'why'}">${host}</span><span class="why">${why}</span></th>
    <td class="wide">${accountsOf(accounts, context)}</td>
    <td class="number" data-name="Destinations">${formatCount(destinations.length)}</td>
    <td class="number wide">${formatCount(events)}</td>
    <td class="number wide">${oldestAt === undefined ? '–' : agoOf(oldestAt)}</td>
    <td class="number">${tryAll(host, why, destinations)}</td>
  </tr>`;
}

function accountsOf(accounts: readonly string[], { names }: PageContext): Content {
  const shown = accounts.slice(0, ACCOUNTS_SHOWN);
  const rest = accounts.length - shown.length;
  return html`${shown.map(
    (one, i) => html`${i > 0 && ', '}<a href="${accountUrl(one)}">${names.get(one) ?? one}</a>`,
  )}${rest > 0 && `, ${formatCount(rest)} more`}`;
}

const isParked = ({ state }: DestinationView): boolean => state === 'parked';

/** Between the ids in the field of the form. No id holds it. */
const BETWEEN = ' ';

const tryAll = (host: string, why: string, destinations: readonly DestinationView[]): Content => {
  const parked = destinations.filter(isParked).map(({ id }) => id);
  return (
    parked.length > 0 &&
    buttonForm(
      html`${hidden('destinations', parked.join(BETWEEN))}${hidden('host', host)}<button
          class="button quiet"
          name="do"
          value="probe-all"
        >
          ${parked.length === 1 ? 'Try it now' : 'Try all now'}${unseen([': ', host, ', ', why])}
        </button>`,
    )
  );
};

/** Destinations of one press. */
const MOST = 200;

/** Tries one event of each parked destination of a group. Those that are no longer parked are left alone. */
export const probeAll = action({
  audit: 'probe failing receivers',
  input: (form) => needed(form, 'destinations', 'host'),
  run: async ({ services, input: { destinations, host } }) => {
    const ids = destinations.split(BETWEEN).slice(0, MOST);
    const results = await Promise.allSettled(ids.map((id) => services.destinations.probe(id)));
    const failed = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    const fault = failed.find((one) => !(one instanceof ProblemError && [404, 409].includes(one.status)));
    if (fault !== undefined) throw fault;
    const tried = ids.length - failed.length;
    const changed = { object: host };
    if (tried === 0) return refused(409, host, { advice: 'None of these destinations is parked any more.' });
    return done(host, {
      advice:
        `One event is tried now at ${plural(tried, 'destination', 'destinations')}. ` +
        'Those whose receiver takes it send the rest, and leave the list.',
      changed,
    });
  },
});
