import type { Mechanism } from '@mailhook/core';
import { monotonicMs } from '../processes/clock.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { valueOfRounds } from '../report/figure.ts';
import { latencies, newPlace, runSteady } from './steady.ts';

const DESTINATIONS = 20;
const SECONDS = 8;
const KILLED_AFTER_MS = 4000;
const PER_SECOND: Readonly<Record<Mechanism, number>> = { transactional: 1000, campaign: 5000 };
const PER_REQUEST: Readonly<Record<Mechanism, number>> = { transactional: 1, campaign: 20 };

/**
 * Most events in the windows of all destinations: 16 notifications each, or 4 batches of about one request. A killed
 * worker repeats no others.
 */
const IN_WINDOWS_MAX: Readonly<Record<Mechanism, number>> = {
  transactional: DESTINATIONS * 16,
  campaign: DESTINATIONS * 4 * PER_REQUEST.campaign,
};

/** Kills the only worker with SIGKILL during a steady load, and restarts it at once. */
export const kill: Figure = {
  name: 'kill',
  title: 'SIGKILL of the worker under load, and immediate restart',
  async measure(context) {
    const runs: Run[] = [];
    for (let round = 1; round <= context.rounds; round += 1) {
      for (const kind of ['transactional', 'campaign'] as const) {
        context.progress(`kill: round ${round} of ${context.rounds}, ${kind}`);
        runs.push(await measureKill(context, kind, round));
      }
    }
    const bars = (['transactional', 'campaign'] as const).flatMap((kind): Bar[] => [
      {
        what: `${kind}: last event accepted before the kill arrives after`,
        measured: valueOfRounds(runs, kind, 'lastArrivedAfterMs') / 1000,
        unit: 's',
        mustReach: 10,
        aimFor: 3,
        sense: 'max',
      },
      {
        what: `${kind}: events lost`,
        measured: valueOfRounds(runs, kind, 'lost'),
        unit: '',
        mustReach: 0,
        aimFor: undefined,
        sense: 'max',
      },
      {
        what: `${kind}: events that arrive twice`,
        measured: valueOfRounds(runs, kind, 'doubled'),
        unit: '',
        mustReach: IN_WINDOWS_MAX[kind],
        aimFor: 64,
        sense: 'max',
      },
    ]);
    return { runs, bars };
  },
};

async function measureKill(context: FigureContext, kind: Mechanism, round: number): Promise<Run> {
  const lab = await context.openLab();
  try {
    const worker = await lab.worker(kind);
    let killedMs = 0;
    let readyAgainMs = 0;
    const meanwhile = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, KILLED_AFTER_MS));
      killedMs = monotonicMs();
      await worker.kill();
      await lab.worker(kind);
      readyAgainMs = monotonicMs();
    };
    const size = {
      kind,
      perSecond: PER_SECOND[kind],
      seconds: SECONDS,
      destinations: DESTINATIONS,
      perRequest: PER_REQUEST[kind],
      graceMs: 30_000,
    };
    const result = await runSteady(lab, { to: 'publisher', pids: {}, place: newPlace(lab, kind), meanwhile }, size);
    const killedAt = killedMs - result.startedMs;
    const before = result.events.filter(({ acceptedMs }) => acceptedMs !== undefined && acceptedMs <= killedAt);
    const accepted = result.events.filter(({ acceptedMs }) => acceptedMs !== undefined);
    return {
      variant: kind,
      round,
      events: accepted.length,
      seconds: SECONDS,
      perSecond: size.perSecond,
      cpuPer1000: {},
      values: {
        lastArrivedAfterMs:
          before.reduce((last, { arrivedMs = Number.POSITIVE_INFINITY }) => Math.max(last, arrivedMs), 0) - killedAt,
        readyAgainAfterMs: readyAgainMs - killedMs,
        slowestMs: latencies(accepted).reduce((slowest, ms) => Math.max(slowest, ms), 0),
        lost: accepted.filter(({ arrivedMs }) => arrivedMs === undefined).length,
        doubled: result.count.doubled,
      },
    };
  } finally {
    await lab.close();
  }
}
