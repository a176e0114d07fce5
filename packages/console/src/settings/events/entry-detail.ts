import { typesIn } from '@mailhook/core';
import type { LogEntry, ShownDestination } from '@mailhook/core';
import { actionButton, hidden, timeOf, unseen } from '../../html/elements.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { Loaded } from '../loaded.ts';
import { pageOf, urlOf } from '../navigation.ts';
import { nameWithAddress, shortNames } from '../shared/endpoints.ts';
import type { DestinationNames } from '../shared/endpoints.ts';
import { jsonLines } from '../shared/json-view.ts';
import { showLoaded } from '../shared/page-parts.ts';
import { stepOf } from './event-steps.ts';
import type { Step } from './event-steps.ts';

const { eventLog: words } = texts;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whom an event is about, or its message. The types of the first version need no address. */
export const subjectOf = (event: LogEntry['event']): string => textOf(event['email']) || textOf(event['messageId']);

/** One accepted event, opened: what happened at every endpoint, its body, and where it can be sent again. */
export const entryDetail = (loaded: Loaded<LogEntry>, view: Frame): Markup =>
  html`<section class="panel card" id="opened" aria-labelledby="opened-title">
    <a
      class="button quiet close"
      href="${urlOf(view.question, { entry: '' })}"
      ${view.question.entry !== '' && html`data-open`}
      >${icon('close')}${unseen(words.close)}</a
    >
    ${showLoaded(loaded, (entry) => detail(entry, view))}${
      'fault' in loaded && html`<h2 class="unseen" id="opened-title" tabindex="-1">${words.one}</h2>`
    }
  </section>`;

function detail(entry: LogEntry, view: Frame): Markup {
  const { id, event } = entry;
  return html`<header>
      <h2 id="opened-title" tabindex="-1"><code>${String(event['event'])}</code></h2>
    </header>
    <p class="muted address">${subjectOf(event)}</p>
    <p class="muted"><code>id: ${id}</code></p>
    <h3>${words.story}</h3>
    <ol class="story">
      ${linesOf(entry, shortNames(view), view.nowMs).map(
        ({ text, at, tone, endpoint }) =>
          html`<li class="${tone}">
            ${at === undefined ? html`<span class="muted">${texts.events.now}</span>` : timeOf(at)}
            <span>${text} ${endpoint !== undefined && html`<span class="muted at-endpoint">${endpoint}</span>`}</span>
          </li>`,
      )}
    </ol>
    ${sendAgainForm(entry, view)}
    <h3>${words.body}</h3>
    <pre tabindex="0" class="json">${jsonLines(JSON.stringify(event))?.lines}</pre>`;
}

/** A step, and at which endpoint. */
interface Line extends Step {
  readonly endpoint?: Content;
}

/** The whole life of an event, oldest first. What has no time is the present. */
function linesOf(
  { acceptedAt, destinations, attempts }: LogEntry,
  names: DestinationNames,
  nowMs: number,
): readonly Line[] {
  const nameOf = (id: string): Content => names.get(id) ?? texts.deliveries.deleted({ id });
  const tried = attempts.map((attempt): Line => ({
    ...attemptLine(attempt),
    endpoint: nameOf(attempt.destination ?? 'campaign'),
  }));
  const ends = destinations.flatMap((one): Line[] => {
    const { id, outcome, attempts: number, at, webhookId, replay } = one;
    // The attempt that delivered already shows it.
    const isListed = attempts.some(
      (attempt) => attempt.status === 'delivered' && attempt.destination === id && attempt.webhookId === webhookId,
    );
    if (outcome === 'delivered' && isListed && replay === undefined) return [];
    if (outcome === 'waiting') return [{ ...waitingStep(attempts, id, nowMs), endpoint: nameOf(id) }];
    const [text, tone] = {
      delivered: [words.wasDelivered({ attempts: number }), 'good'] as const,
      dead: [words.wasGivenUp({ attempts: number }), 'bad'] as const,
      discarded: [words.wasDiscarded, 'bad'] as const,
    }[outcome];
    const said = replay === undefined ? text : [text, ', ', words.byReplay];
    return [{ text: said, tone, at, endpoint: nameOf(id) }];
  });
  const nowhere: Line[] = destinations.length === 0 ? [{ text: words.tookNoOne, tone: 'plain', at: acceptedAt }] : [];
  const later = [...tried, ...ends].sort((a, b) => ((a.at ?? PRESENT) < (b.at ?? PRESENT) ? -1 : 1));
  return [{ text: texts.events.accepted, at: acceptedAt, tone: 'plain' }, ...nowhere, ...later];
}

/** The attempt that comes next. `attempts`: newest first. */
function waitingStep(attempts: LogEntry['attempts'], id: string, nowMs: number): Step {
  const { attempt = 0, nextAttemptAt: at } = attempts.find(({ destination = 'campaign' }) => destination === id) ?? {};
  const next = { attempt: attempt + 1 };
  if (at === undefined) return { text: words.isWaiting, tone: 'plain' };
  if (Date.parse(at) < nowMs) return { text: texts.events.due(next), tone: 'warn' };
  return { text: texts.events.scheduled(next), at, tone: 'warn' };
}

/** Sorts after every time. */
const PRESENT = '~';

function attemptLine(attempt: LogEntry['attempts'][number]): Step {
  const url = urlOf({ ...pageOf('deliveries'), attempt: attempt.id });
  return stepOf(attempt, (words) => html`<a href="${url}">${words}</a>`);
}

/** Endpoints that take events of this type now. */
const targetsOf = ({ event }: LogEntry, view: Frame): readonly ShownDestination[] =>
  (valueOf(view.destinations) ?? []).filter(
    ({ active, module, types }) =>
      active && module === event['module'] && typesIn(module, types).some((type) => type === event['event']),
  );

/** It takes the event now, and gets it when the pause ends. */
const pauseOf = ({ id }: ShownDestination, { statuses }: Frame): Content =>
  valueOf(statuses)?.get(id)?.state === 'paused' && [' (', texts.states.paused, ')'];

function sendAgainForm(entry: LogEntry, view: Frame): Markup {
  const targets = targetsOf(entry, view);
  if (targets.length === 0)
    return html`<h3>${words.sendAgain}</h3>
      <p class="muted">${words.noTarget}</p>`;
  return html`<form method="post" id="send-again-form">
    ${hidden('entry', entry.entry)}${view.question.isTyped === true && hidden('search', view.question.event)}
    <div class="field">
      <label for="send-again-to">${words.sendTo}</label>
      <select id="send-again-to" name="destination">
        ${targets.map((one) => html`<option value="${one.id}">${nameWithAddress(one)}${pauseOf(one, view)}</option>`)}
      </select>
    </div>
    <div class="actions">
      ${actionButton({ id: 'send-again', value: 'send-again', text: words.sendAgain, busy: words.sending })}
    </div>
    <p class="hint">${words.sendHint}</p>
  </form>`;
}
