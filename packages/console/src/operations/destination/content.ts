import { EVERY_TYPE, formatCount, plural, RESENDS_READ, spanText, typesIn } from '@mailhook/core';
import type { DestinationView, ShownDestination } from '@mailhook/core';
import { hidden, notice, section, timeOf } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import {
  accountLink,
  excerpt,
  failuresText,
  maskedAddress,
  nextOf,
  shortfallOf,
} from '../destinations/destination-table.ts';
import { buttonForm, confirmed } from '../forms.ts';
import type { PageContext } from '../view.ts';

/** What a destination does, and what an operator can do about it. */
export const destinationContent = (
  view: DestinationView,
  settings: ShownDestination | undefined,
  context: PageContext,
): Markup =>
  html`<div id="destination" data-part>
      ${trouble(view)}
      <dl class="facts card">
        ${[...factsOf(view, context), ...settingsFacts(settings)].map(
          ([name, value]) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
      </dl>
    </div>
    ${actionsSection(view, context)}`;

function trouble(view: DestinationView): Content {
  const { failures, lastError, inactiveReason } = view;
  if (inactiveReason !== undefined) return notice('warn', `Switched off: ${excerpt(String(inactiveReason))}`);
  if (failures > 0 && lastError !== undefined)
    return notice(
      view.undelivered > 0 ? 'bad' : 'warn',
      `${failuresText(failures)} in a row. The last error: ${excerpt(String(lastError))}`,
    );
  const shortfall = shortfallOf(view);
  return shortfall !== undefined && notice('warn', `${shortfall}, in the last hour.`);
}

function factsOf(view: DestinationView, { names, nowMs }: PageContext): readonly (readonly [string, Content])[] {
  const { address, account, undelivered, oldestWaitingAt, resends, inFlight, lastHour } = view;
  const { delivered, failed, confirmed: events } = lastHour;
  const isEstimated = resends > RESENDS_READ;
  const next = nextOf(view);
  return [
    ['Address', html`<span class="address">${maskedAddress(address)}</span>`],
    ['Account', accountLink(account, names)],
    ['Events', undelivered === 0 ? 'None wait' : `${isEstimated ? 'About ' : ''}${formatCount(undelivered)} wait`],
    ...(oldestWaitingAt === undefined
      ? []
      : [
          ['Oldest event', `${spanText(nowMs - Date.parse(oldestWaitingAt))}${isEstimated ? ' or more' : ''}`] as const,
        ]),
    ['Resends scheduled', formatCount(resends)],
    ['In flight', formatCount(inFlight)],
    [
      'Last hour',
      `${plural(events, 'event', 'events')} delivered, ${formatCount(failed)} of ${plural(
        delivered + failed,
        'attempt',
        'attempts',
      )} failed`,
    ],
    ...(view.pausedUntil === undefined
      ? []
      : [
          [
            `Paused by ${view.pausedBy === 'customer' ? 'the customer' : 'an operator'} until`,
            timeOf(view.pausedUntil),
          ] as const,
        ]),
    ...(next === undefined ? [] : [['Next attempt', next] as const]),
    ...(view.failures === 0 && view.lastError !== undefined
      ? [['Last error', excerpt(String(view.lastError))] as const]
      : []),
  ];
}

/** What the customer has set. Of a filter only the keys, because its values may identify people. */
function settingsFacts(settings: ShownDestination | undefined): readonly (readonly [string, Content])[] {
  if (settings === undefined) return [];
  const { name, module, types, version, shape, maxEvents, concurrency, maxRequestsPerSecond, filter } = settings;
  const count = typesIn(module, types).length;
  const most = shape === 'single' ? '' : ` of up to ${formatCount(maxEvents)}`;
  return [
    ...(name === null ? [] : [['Name', excerpt(name)] as const]),
    ['Module', html`<code>${module}</code>`],
    ['Types', types.includes(EVERY_TYPE) ? 'All, also those to come' : `${count}: ${types.join(', ')}`],
    ['Body', `Version ${version}`],
    ['Requests', `${shape}${most}`],
    ...(concurrency === null ? [] : [['Most in flight', formatCount(concurrency)] as const]),
    ...(maxRequestsPerSecond === null ? [] : [['Most per second', formatCount(maxRequestsPerSecond)] as const]),
    ...(filter === null ? [] : [['Filter', `${Object.keys(filter).join(', ')} (values are hidden)`] as const]),
  ];
}

const PAUSES = [
  ['60', '1 hour'],
  ['360', '6 hours'],
  ['1440', '1 day'],
  ['10080', '1 week'],
] as const;

function actionsSection(view: DestinationView, { deadLettersDays }: PageContext): Markup {
  const { id, state, address } = view;
  const isOn = state !== 'inactive';
  const form = (fields: Content): Markup => buttonForm(html`${hidden('destination', id)}${fields}`);
  const button = (name: string, text: string): Markup =>
    form(html`<button class="button quiet" name="do" value="${name}">${text}</button>`);
  return section(
    { id: 'actions', title: 'Actions', lead: 'Each of them is recorded in the audit log.' },
    html`<div class="card stops">
      <div class="row" id="act" data-part>
        ${maskedAddress(address) !== address && button('show-address', 'Show address')}
        ${state === 'parked' && button('probe', 'Try one event now')}
        ${isOn && state !== 'paused' && view.resends > 0 && button('send-now', 'Send all now')}
        ${state === 'paused' && button('resume', 'Resume')}
        ${
          isOn &&
          state !== 'paused' &&
          form(
            html`<label class="unseen" for="minutes">Pause for</label
              ><select id="minutes" name="minutes">
                ${PAUSES.map(([minutes, text]) => html`<option value="${minutes}">${text}</option>`)}</select
              ><button class="button quiet" name="do" value="pause">Pause</button>`,
          )
        }
      </div>
      ${
        isOn &&
        confirmed(
          {
            id: 'give-up',
            summary: 'Give up…',
            text:
              'All undelivered events of this destination become dead letters. ' +
              `They are kept for ${deadLettersDays} days and can be delivered again.`,
            type: id,
            button: 'Give up waiting events',
            value: 'drop',
          },
          form,
        )
      }
    </div>`,
  );
}
