import type { DeadLetter } from '@mailhook/core';
import type { DestinationView, Overview, WorkerView } from '@mailhook/delivery';
import type { Assets } from '../html/assets.ts';
import { badge, count, hidden, masked, plural, section, timeOf, unseen } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { BOARD_PATH } from '../../operations/board.ts';

export const OVERVIEW_PATH = '/admin';

/** The result of a button. */
export interface Notice {
  readonly isGood: boolean;
  /** A destination's id or address. */
  readonly about: string;
  readonly text: string;
}

type AccountDeadLetter = DeadLetter & { readonly account: string };

export type OverviewView =
  { readonly overview: Overview; readonly deadLetters: readonly AccountDeadLetter[] } | { readonly fault: string };

/** The operations overview as one HTML page without any script. */
export const overviewDocument = (urls: Assets['urls'], view: OverviewView, notice: Notice | undefined): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${titleOf(view)} · Mailhook</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${urls['icon.svg']}" type="image/svg+xml">
<link rel="stylesheet" href="${urls['settings.css']}">
<link rel="stylesheet" href="${urls['operations.css']}">
</head>
<body class="operations">
<a class="skip" href="#main">Skip to the overview</a>
<header class="top"><span class="brand">Mailhook</span><span class="account">Operations</span>
<nav aria-label="Elsewhere"><a href="${BOARD_PATH}">Queues</a><a href="/metrics">Metrics</a><a href="/readyz">Readiness</a></nav></header>
<main id="main">
<h1>Operations</h1>
${notice !== undefined && markup`<div class="outcome" role="status"><p class="${notice.isGood ? 'good' : 'bad'}"><strong>${masked(notice.about)}</strong> ${masked(notice.text)}</p></div>`}
${'fault' in view ? markup`<p class="notice bad">${view.fault}</p>` : content(view.overview, view.deadLetters)}
</main>
</body>
</html>
`.toString();

const titleOf = (view: OverviewView): string => {
  if ('fault' in view) return 'Operations';
  const { length } = complaintsOf(view.overview);
  return length === 0 ? 'Nothing is stuck' : plural(length, 'thing needs attention', 'things need attention');
};

const content = (overview: Overview, deadLetters: readonly AccountDeadLetter[]): Markup =>
  markup`${verdict(overview)}
${figures(overview)}
${section(
  {
    id: 'destinations',
    title: 'Destinations that need attention',
    lead: 'Parked by their breaker, paused by an operator, or with events that have waited for over a minute; the longest waiting first.',
  },
  overview.attention.length === 0
    ? markup`<p class="card empty"><strong>None</strong>Every destination takes its events.</p>`
    : overview.attention.map((view) => destination(view, overview.time)),
)}
${deadLettersSection(deadLetters, overview.totals.deadLetters)}
${workers(overview)}`;

const KINDS = { transactional: 'Transactional', campaign: 'Campaign' } as const;

/** The problems, as sentences. */
function complaintsOf({ attention, workers, totals }: Overview): string[] {
  const idle = (['transactional', 'campaign'] as const).filter(
    (kind) => !workers.some((worker) => worker.kind === kind && worker.isAlive),
  );
  const late = attention.filter(({ state }) => state !== 'parked' && state !== 'paused').length;
  return [
    ...idle.map((kind) => `No ${kind} worker gives signs of life: start one.`),
    ...(totals.parked > 0 ? [`${plural(totals.parked, 'destination is', 'destinations are')} parked.`] : []),
    ...(totals.paused > 0 ? [`${plural(totals.paused, 'destination is', 'destinations are')} paused.`] : []),
    ...(late > 0 ? [`${plural(late, 'other destination has', 'other destinations have')} late events.`] : []),
  ];
}

function verdict(overview: Overview): Markup {
  const complaints = complaintsOf(overview);
  // Operators pause destinations on purpose, so pauses alone are only a warning.
  const isWanted = overview.totals.paused > 0 && complaints.length === 1;
  const tone = complaints.length === 0 ? 'good' : isWanted ? 'warn' : 'bad';
  return markup`<div class="verdict ${tone}"><p><strong>${
    complaints.length === 0 ? 'Nothing is stuck.' : 'Something waits.'
  }</strong>${complaints.map((text) => ` ${text}`)}</p>
<p class="muted">As of ${timeOf(overview.time)}. <a href="${OVERVIEW_PATH}">Refresh</a></p></div>`;
}

function figures({ totals, oldestWaiting, time }: Overview): Markup {
  const ages = oldestWaiting.map(
    ({ kind, acceptedAt }) => [`Oldest ${kind} event`, acceptedAt === null ? 'none' : ageOf(acceptedAt, time)] as const,
  );
  const all: readonly (readonly [string, string])[] = [
    ...ages,
    ['Events waiting', count(totals.waiting)],
    ['Resends scheduled', count(totals.resends)],
    ['Destinations parked', count(totals.parked)],
    ['Destinations paused', count(totals.paused)],
    ['Dead letters', count(totals.deadLetters)],
  ];
  return markup`<dl class="figures">${all.map(([name, value]) => markup`<div class="card"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const TONES = {
  parked: 'bad',
  paused: 'warn',
  waiting: 'warn',
  sending: 'good',
  inactive: 'plain',
  idle: 'plain',
} as const;

function destination(view: DestinationView, now: string): Markup {
  const { id, state, kind, address, account, waiting, oldestWaitingAt, resends, failures } = view;
  const facts: readonly (readonly [string, Content])[] = [
    ['Address', markup`<span class="address">${masked(address)}</span>`],
    ['Account', account],
    [
      'Waiting',
      `${plural(waiting, 'event', 'events')}${resends > 0 ? `, ${plural(resends, 'resend', 'resends')}` : ''}`,
    ],
    ...(oldestWaitingAt === undefined ? [] : ([['Oldest', ageOf(oldestWaitingAt, now)]] as const)),
    ...(view.pausedUntil === undefined ? [] : ([['Paused until', timeOf(view.pausedUntil)]] as const)),
    ...(view.parkedUntil === undefined ? [] : ([['Next try', timeOf(view.parkedUntil)]] as const)),
    ...(failures > 0 ? ([['Failures in a row', count(failures)]] as const) : []),
    ...(view.lastError === undefined ? [] : ([['Last error', masked(view.lastError)]] as const)),
  ];
  return markup`<article class="card stuck" aria-labelledby="destination-${id}">
<h3 id="destination-${id}">${badge(TONES[state], state)} ${KINDS[kind]} <code>${id}</code></h3>
<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<div class="row actions">${actions(view)}</div>
</article>`;
}

const PAUSES = [
  ['60', '1 hour'],
  ['360', '6 hours'],
  ['1440', '1 day'],
  ['10080', '1 week'],
] as const;

function actions({ id, state }: DestinationView): Markup {
  const button = (name: string, text: string): Markup =>
    form(id, markup`<button class="button quiet" name="do" value="${name}">${text}${unseen(` ${id}`)}</button>`);
  return markup`${state === 'parked' && button('probe', 'Try one event now')}
${state === 'paused' && button('resume', 'Resume')}
${
  state !== 'paused' &&
  form(
    id,
    markup`<label class="unseen" for="minutes-${id}">Pause ${id} for</label><select id="minutes-${id}" name="minutes">${PAUSES.map(
      ([minutes, text]) => markup`<option value="${minutes}">${text}</option>`,
    )}</select><button class="button quiet" name="do" value="pause">Pause${unseen(` ${id}`)}</button>`,
  )
}
<details><summary class="button quiet">Give up…${unseen(` what waits for ${id}`)}</summary>
<div class="inset"><p>All undelivered events of this destination become dead letters. They are kept for 7 days and can be re-driven.</p>
${form(
  id,
  markup`<div class="field"><label for="confirm-${id}">Type <code>${id}</code> to confirm</label>
<input id="confirm-${id}" name="confirm" autocomplete="off" required pattern="${id}"></div>
<button class="button danger" name="do" value="drop">Give up waiting events</button>`,
)}</div></details>`;
}

const form = (id: string, fields: Content): Markup =>
  markup`<form method="post" action="${OVERVIEW_PATH}">${hidden('destination', id)}${fields}</form>`;

/** The newest dead letters, grouped by account and address. */
function deadLettersSection(deadLetters: readonly AccountDeadLetter[], total: number): Markup {
  const groups = new Map<string, AccountDeadLetter[]>();
  for (const deadLetter of deadLetters) {
    const key = `${deadLetter.account} ${deadLetter.address}`;
    groups.set(key, [...(groups.get(key) ?? []), deadLetter]);
  }
  return section(
    {
      id: 'dead-letters',
      title: 'Dead letters',
      lead: `Given up, and kept for 7 days. ${total > deadLetters.length ? `The newest ${count(deadLetters.length)} of ${count(total)} are grouped here.` : ''}`,
    },
    groups.size === 0
      ? markup`<p class="card empty"><strong>None</strong>Nothing was given up in the last 7 days.</p>`
      : markup`<ul class="rows card flush">${[...groups.values()].map(deadLetterGroup)}</ul>`,
  );
}

function deadLetterGroup(group: readonly AccountDeadLetter[], place: number): Markup | undefined {
  const [newest] = group;
  if (newest === undefined) return undefined;
  const { account, address, error, time } = newest;
  const events = group.reduce((sum, deadLetter) => sum + deadLetter.events, 0);
  return markup`<li><div><p><strong>${plural(events, 'event', 'events')}</strong> in ${plural(group.length, 'dead letter', 'dead letters')} to <span class="address">${masked(address)}</span></p>
<p class="muted">Account ${account}. Newest ${timeOf(time)}: ${masked(error)}</p></div>
<div class="row actions">${deadLettersForm(newest, markup`<button class="button quiet" name="do" value="redrive">Re-drive${unseen(` those of ${account} to ${masked(address)}`)}</button>`)}
<details><summary class="button quiet">Discard…${unseen(` those of ${account} to ${masked(address)}`)}</summary>
<div class="inset"><p>All dead letters of this account to this address are deleted, and the events in them are lost. Nothing brings them back.</p>
${deadLettersForm(
  newest,
  markup`<div class="field"><label for="discard-${place}">Type <code>${account}</code> to confirm</label>
<input id="discard-${place}" name="confirm" autocomplete="off" required pattern="${account}"></div>
<button class="button danger" name="do" value="discard">Discard them</button>`,
)}</div></details></div></li>`;
}

const deadLettersForm = ({ account, address }: AccountDeadLetter, fields: Content): Markup =>
  markup`<form method="post" action="${OVERVIEW_PATH}">${hidden('account', account)}${hidden('address', address)}${fields}</form>`;

const workers = ({ workers: all, time }: Overview): Markup =>
  section(
    {
      id: 'workers',
      title: 'Workers',
      lead: 'Each gives a sign of life twice a second; without one for 2.5 s, others take its destinations over.',
    },
    all.length === 0
      ? markup`<p class="card empty"><strong>None</strong>No worker is running, so nothing is delivered.</p>`
      : markup`<div class="card flush scroll" tabindex="0" role="group" aria-label="Table of workers"><table><thead><tr><th scope="col">Worker</th><th scope="col">Mechanism</th><th scope="col">Shard</th><th scope="col">Sign of life</th><th scope="col">Destinations</th></tr></thead>
<tbody>${all.map((one) => worker(one, time))}</tbody></table></div>`,
  );

const worker = ({ id, kind, shard, lastHeartbeatAt, isAlive, destinations }: WorkerView, now: string): Markup =>
  markup`<tr><td><code>${id}</code></td><td>${KINDS[kind]}</td><td>${shard}</td><td>${badge(isAlive ? 'good' : 'bad', isAlive ? 'alive' : 'gone')} ${ageOf(lastHeartbeatAt, now)} ago</td><td>${count(destinations)}</td></tr>`;

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

/** An age such as `4.2 h`. */
function ageOf(since: string, now: string): string {
  const seconds = Math.max(0, (Date.parse(now) - Date.parse(since)) / 1000);
  const [size, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${(seconds / size).toFixed(1)} ${unit}`;
}
