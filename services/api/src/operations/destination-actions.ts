import { publicIdOf } from '@mailhook/core';
import type { DestinationView, OperatorServices } from '@mailhook/core';
import type { DestinationControl } from '@mailhook/delivery';
import type { AttemptLog, DeliveryHistory, FindDestination } from '@mailhook/insight';
import { noteGiveUp, notePause } from '../accounts/noted-changes.ts';
import { invalid, ProblemError } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';

export interface DestinationActionsDeps {
  readonly find: FindDestination;
  readonly control: DestinationControl;
  readonly attempts: Pick<AttemptLog, 'list'>;
  readonly history: Pick<DeliveryHistory, 'read'>;
  /** `DELIVERY_TIMEOUT_MS`. */
  readonly deadlineMs: number;
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const ATTEMPTS_SHOWN = 10;

const CONFLICTS: Readonly<Record<string, string>> = {
  inactive: 'The destination is inactive: nothing is sent to it, and its waiting events have become dead letters.',
  paused: 'The destination is paused. Resume it first.',
  'not parked': 'The destination is not parked: Mailhook is already sending its waiting events.',
};

/** Operators' actions on a destination, for the admin API and the overview page. Every action is logged. */
export function createDestinationActions(deps: DestinationActionsDeps): OperatorServices['destinations'] {
  const { control, logger, now } = deps;
  const find = async (id: string): Promise<DestinationView> => {
    const view = ID.test(id) ? await deps.find(id) : undefined;
    if (view === undefined) throw unknownDestination();
    return view;
  };
  const act = async (action: string, id: string, run: () => Promise<string>): Promise<DestinationView> => {
    if (!ID.test(id)) throw unknownDestination();
    const reply = await run();
    if (reply === 'unknown') throw unknownDestination();
    const conflict = action === 'pause' && reply === 'paused' ? undefined : CONFLICTS[reply];
    if (conflict !== undefined) throw new ProblemError('conflict', { detail: conflict });
    logger.info("an operator's action", { action, destination: id, reply });
    return find(id);
  };
  return {
    find,
    recent: async (account, id) => {
      const [{ items }, bars] = await Promise.all([
        deps.attempts.list(account, { destination: publicIdOf(account, id), limit: ATTEMPTS_SHOWN }),
        deps.history.read(account, [id], now()),
      ]);
      const attempts = items.map(({ id: attemptId, time, events, attempt, status, durationMs, httpStatus }) => ({
        id: attemptId,
        time,
        events,
        attempt,
        status,
        durationMs,
        ...(httpStatus === undefined ? {} : { httpStatus }),
      }));
      return { attempts, history: bars.get(id) ?? [], deadlineMs: deps.deadlineMs };
    },
    probe: (id) => act('probe', id, () => control.probe(id)),
    sendNow: (id) => act('send now', id, () => control.sendNow(id)),
    pause: async (id, { minutes }) => {
      const untilMs = now() + minutes * 60_000;
      const view = await act('pause', id, () => control.pause(id, untilMs));
      notePause(id, untilMs);
      return view;
    },
    resume: (id) => act('resume', id, () => control.resume(id)),
    drop: async (id, { confirm }) => {
      if (confirm !== id) throw invalid([{ path: 'confirm', message: 'must be the id of the destination' }]);
      const { undelivered } = await find(id);
      const view = await act('drop', id, () => control.drop(id));
      noteGiveUp(id, undelivered);
      return view;
    },
  };
}

const ID = /^[\w.:-]{1,128}$/;

const unknownDestination = (): ProblemError =>
  new ProblemError('not_found', {
    detail: 'There is no destination with this id. Use the id of a subscription, or campaign-<account>.',
  });
