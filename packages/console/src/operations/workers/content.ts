import { formatCount } from '@mailhook/core';
import type { OperationsReport, WorkerView } from '@mailhook/core';
import { agoOf, badge, masked } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { KINDS } from '../destinations/destination-table.ts';

/** A replaced worker leaves the list after this. */
const REPLACED_SHOWN_MS = 60_000;

export function workersContent({ workers, time }: Pick<OperationsReport, 'workers' | 'time'>): Markup {
  const shown = workers.filter(
    (one) => !isReplaced(one, workers) || Date.parse(time) - Date.parse(one.lastHeartbeatAt) < REPLACED_SHOWN_MS,
  );
  const rows = [...new Set(shown.map(placeOf))].map((place) => shown.filter((one) => placeOf(one) === place));
  return html`<div class="card flush" id="workers" data-part>
    ${
      shown.length === 0
        ? html`<p class="empty">
            <strong>None</strong>No worker has ever had a heartbeat here, so nothing is delivered.
          </p>`
        : html`<table class="table static">
            <caption class="unseen">
              Workers
            </caption>
            <thead>
              <tr>
                <th scope="col">Worker</th>
                <th scope="col">Host</th>
                <th scope="col" class="number wide">Shard</th>
                <th scope="col" class="number wide">Destinations</th>
                <th scope="col" class="number wide">Last heartbeat</th>
                <th scope="col" class="of-state">State</th>
              </tr>
            </thead>
            <tbody>
              ${rows.map((own) => row(own, workers))}
            </tbody>
          </table>`
    }
  </div>`;
}

/** Ended workers of one mechanism, host and shard share a row, for instance after many restarts. */
const placeOf = ({ id, kind, host, shard, isAlive }: WorkerView): string =>
  isAlive ? id : JSON.stringify([kind, host, shard]);

function row(own: readonly WorkerView[], workers: readonly WorkerView[]): Markup {
  const [worker] = [...own].sort((a, b) => b.lastHeartbeatAt.localeCompare(a.lastHeartbeatAt)) as [WorkerView];
  const { kind, host, pid, shard, destinations, lastHeartbeatAt, isAlive } = worker;
  const which =
    own.length > 1
      ? `${formatCount(own.length)} ended, the last one pid ${pid ?? 'unknown'}`
      : pid !== null && `pid ${pid}`;
  return html`<tr>
    <th scope="row">${KINDS[kind]}${which !== false && html` <span class="muted">${which}</span>`}</th>
    <td>${masked(host ?? 'Unknown host')}</td>
    <td class="number wide">${shard}</td>
    <td class="number wide">${formatCount(destinations)}</td>
    <td class="number wide">${isAlive ? 'Just now' : agoOf(lastHeartbeatAt)}</td>
    <td>${stateOf(worker, workers)}</td>
  </tr>`;
}

function stateOf(worker: WorkerView, workers: readonly WorkerView[]): Content {
  if (worker.isAlive) return badge('good', 'Alive');
  return isReplaced(worker, workers) ? badge('good', 'Replaced') : badge('bad', 'Gone');
}

/** Whether a living worker has what this one had: one of the same mechanism and shard. */
const isReplaced = ({ kind, shard, isAlive }: WorkerView, workers: readonly WorkerView[]): boolean =>
  !isAlive && workers.some((one) => one.isAlive && one.kind === kind && one.shard === shard);
