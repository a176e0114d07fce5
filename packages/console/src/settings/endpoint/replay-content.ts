import type { ReplayState } from '@mailhook/core';
import { actionButton, badge, formField, hidden, notice, section, timeOf } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { Loaded } from '../loaded.ts';
import type { Endpoint } from '../shared/endpoints.ts';
import { offerForm, showLoaded } from '../shared/page-parts.ts';
import { localTime, readersZone } from '../shared/period.ts';
import { isBusy, isOngoing, START_REPLAY, startFields, wholeLog } from './replays.ts';
import type { CountedSpan, Past } from './replays.ts';

const { replays: words } = texts;

interface ReplayView extends Frame {
  readonly replays: Loaded<readonly ReplayState[]> | undefined;
  readonly counted: Loaded<CountedSpan | undefined> | undefined;
  readonly past: Loaded<Past> | undefined;
  readonly keptMs: number;
}

/** Sends accepted events to the endpoint again: first it counts, then it starts. */
export function replayContent({ id, settings }: Endpoint, view: ReplayView): Markup {
  if (!view.isLogOn) return notice('plain', words.off);
  const isOn = settings?.active === true;
  return html`${pastOffer(view)}${section(
    { id: 'replay', title: words.title, lead: words.lead },
    html`<div class="card" id="replay-range" data-part>
      ${isOn ? rangeForm(view) : html`<p>${words.inactive}</p>`}
      ${settings !== undefined && settings.filter !== null && html`<p class="hint">${words.filtered}</p>`}
      ${view.counted !== undefined && showLoaded(view.counted, (counted) => startForm(id, counted, view))}
      ${busyNote(view)}
    </div>`,
  )}
  ${replayList(view)}`;
}

/** What the log has from before the endpoint was there. */
const pastOffer = ({ past }: ReplayView): Markup =>
  html`<div id="past" data-part>${past !== undefined && showLoaded(past, pastNotice)}</div>`;

const pastNotice = ({ offer, advice }: Past): Markup =>
  html`${
    offer !== undefined &&
    html`<div class="notice plain why">
      <p>${advice}</p>
      ${offerForm(offer)}
    </div>`
  }`;

const OUTCOMES: readonly (readonly [string, Content])[] = [
  ['', words.all],
  ['undelivered', words.undelivered],
  ['unmatched', words.unmatched],
];

const MINUTE_MS = 60_000;

/** It asks by the address, so that a count can be repeated and shared. */
function rangeForm({ question, past, keptMs, nowMs }: ReplayView): Markup {
  const { from, to } = question;
  const hasPast = past !== undefined && valueOf(past)?.offer !== undefined;
  const outcome = hasPast ? 'unmatched' : question.outcome;
  const isAsked = from !== '' || to !== '';
  // The fields have whole minutes, and the newest events must be within.
  const shown = isAsked ? { from, to } : wholeLog(keptMs, Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS);
  return html`<form method="get" class="filter" id="replay-form">
    ${hidden('tab', 'replay')}
    <div class="field">
      <label for="filter-from">${texts.deliveries.from({ zone: readersZone })}</label>${localTime('from', shown.from)}
    </div>
    <div class="field">
      <label for="filter-to">${texts.deliveries.to({ zone: readersZone })}</label>${localTime('to', shown.to)}
    </div>
    ${formField({
      id: 'replay-outcome',
      label: words.which,
      control: (attributes) =>
        html`<select ${attributes} name="outcome">
          ${OUTCOMES.map(
            ([value, text]) => html`<option value="${value}" ${value === outcome && html`selected`}>${text}</option>`,
          )}
        </select>`,
    })}
    <button class="button primary" id="replay-count">${words.count}</button>
  </form>`;
}

/** Says that another replay cannot start yet. */
export const busyNote = (view: Pick<ReplayView, 'replays'>): Markup =>
  html`<div id="replay-busy" data-part>${isBusyNow(view) && html`<p class="muted">${words.busy}</p>`}</div>`;

const isBusyNow = ({ replays }: Pick<ReplayView, 'replays'>): boolean =>
  replays !== undefined && 'value' in replays && isBusy(replays.value);

function startForm(endpoint: string, counted: CountedSpan | undefined, { replays, question }: ReplayView): Markup {
  if (isBusyNow({ replays })) return html``;
  if (counted === undefined) return notice('bad', words.noSpan);
  const { events, isComplete } = counted.count;
  const found = { events, from: timeOf(counted.from), to: timeOf(counted.to) };
  if (events === 0 && isComplete) return html`<p>${words.counted(found)} ${words.nothingToSend}</p>`;
  return html`<form method="post" id="replay-start">
    ${Object.entries(startFields(endpoint, counted, question.outcome)).map(([name, value]) => hidden(name, value))}
    <p><strong>${isComplete ? words.counted(found) : words.countedMore(found)}</strong></p>
    <div class="actions">
      ${actionButton({
        id: 'start-replay',
        value: START_REPLAY,
        text: words.start,
        busy: words.starting,
        look: 'primary',
      })}
    </div>
  </form>`;
}

/** How far the replays of the endpoint are. */
export const replayList = ({ replays }: Pick<ReplayView, 'replays'>): Markup =>
  html`<section aria-labelledby="replays-title" id="replays" data-part>
    <header><h2 id="replays-title">${words.list}</h2></header>
    ${
      replays !== undefined &&
      showLoaded(replays, (all) =>
        all.length === 0 ? html`<p class="empty card">${words.none}</p>` : html`${all.map(replay)}`,
      )
    }
  </section>`;

const STATES: Readonly<Record<ReplayState['state'], readonly [Parameters<typeof badge>[0], Content]>> = {
  running: ['plain', words.running],
  waiting: ['warn', words.waiting],
  done: ['good', words.done],
  stopped: ['warn', words.stopped],
};

const REASONS: Readonly<Record<NonNullable<ReplayState['reason']>, Content>> = {
  paused: words.paused,
  full: words.full,
  store: words.store,
  complete: words.complete,
  person: words.byPerson,
  inactive: words.endpointOff,
  deleted: words.endpointDeleted,
};

function replay(one: ReplayState): Markup {
  const { id, destination, state, reason, from, to, startedAt, events, sent, delivered, dead, missed } = one;
  const span =
    from === undefined || to === undefined ? words.chosen : words.span({ from: timeOf(from), to: timeOf(to) });
  const sentences = [
    words.startedAt({ time: timeOf(startedAt) }),
    words.progress({ events, sent: count(sent), delivered: count(delivered), dead: count(dead) }),
    missed > 0 && words.missed({ events: missed }),
    reason !== undefined && REASONS[reason],
  ];
  return html`<div class="redriven notice plain" id="replay-${id}">
    <p>${badge(...STATES[state])} <strong>${span}</strong>${sentences.map((text) => text !== false && [' ', text])}</p>
    ${events > 0 && html`<progress max="${events}" value="${delivered + dead}" aria-label="${words.share}"></progress>`}
    ${
      isOngoing(one) &&
      html`<form method="post">
        ${hidden('destination', destination)}${hidden('replay', id)}${actionButton({
          id: `stop-replay-${id}`,
          value: 'stop-replay',
          text: words.stop,
          busy: words.stopping,
        })}
      </form>`
    }
  </div>`;
}
