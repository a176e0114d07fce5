import type { z } from 'zod';
import { campaignDestinationId, coded } from '@mailhook/core';
import type { customerPauseInput, DestinationStatus, sendNowInput, SendNowResult } from '@mailhook/core';
import type { DeadLetterBox, DestinationControl } from '@mailhook/delivery';
import { ProblemError } from '@mailhook/platform/http-server';
import type { DestinationStatuses } from './destination-statuses.ts';

/**
 * What an account does with one of its destinations: a subscription id, or `campaign`. Resolves with the new state.
 * Rejects with a 404, or a 409 that explains the conflict.
 */
export interface DestinationActions {
  readonly pause: (
    account: string,
    destination: string,
    input: z.infer<typeof customerPauseInput>,
  ) => Promise<DestinationStatus>;
  /** Does nothing if the destination is not paused. */
  readonly resume: (account: string, destination: string) => Promise<DestinationStatus>;
  /** Sends all resends as fast as the receiver takes them, and the dead letters too if `deadLetters` is true. */
  readonly sendNow: (
    account: string,
    destination: string,
    input: z.infer<typeof sendNowInput>,
  ) => Promise<SendNowResult>;
}

interface DestinationActionsDeps {
  readonly control: DestinationControl;
  readonly destinations: DestinationStatuses;
  readonly deadLetters: DeadLetterBox;
}

const CONFLICTS: Readonly<Record<string, string>> = {
  inactive: 'This destination is off: its events are not kept. Switch it on first.',
  'paused by an operator': 'An operator of Mailhook has paused this destination. Only an operator can change that.',
};
const SEND_NOW_CONFLICTS = { ...CONFLICTS, paused: 'This destination is paused. Resume it first.' };

export function createDestinationActions(deps: DestinationActionsDeps): DestinationActions {
  const find = async (account: string, destination: string): Promise<DestinationStatus> => {
    const found = (await deps.destinations.list(account)).find((one) => one.destination === destination);
    if (found === undefined) throw unknownDestination();
    return found;
  };
  /** Only after the destination was found among the account's own. */
  const act = async (
    account: string,
    destination: string,
    conflicts: Readonly<Record<string, string>>,
    run: (id: string) => Promise<string>,
  ): Promise<{ readonly id: string; readonly before: DestinationStatus }> => {
    const before = await find(account, destination);
    const id = destination === 'campaign' ? campaignDestinationId(account) : destination;
    const reply = await run(id);
    if (reply === 'unknown') throw unknownDestination();
    const conflict = conflicts[reply];
    if (conflict !== undefined) throw new ProblemError('conflict', { detail: conflict });
    return { id, before };
  };
  return {
    pause: async (account, destination, { minutes }) => {
      const untilMs = Date.now() + minutes * 60_000;
      await act(account, destination, CONFLICTS, (id) => deps.control.pause(id, untilMs, 'customer'));
      return find(account, destination);
    },
    resume: async (account, destination) => {
      await act(account, destination, CONFLICTS, (id) => deps.control.resume(id, 'customer'));
      return find(account, destination);
    },
    sendNow: async (account, destination, { deadLetters = false }) => {
      const { id, before } = await act(account, destination, SEND_NOW_CONFLICTS, (id) => deps.control.sendNow(id));
      const { redriven } = deadLetters ? await deps.deadLetters.redrive({ account, destination: id }) : { redriven: 0 };
      return { ...(await find(account, destination)), sending: before.waiting, redriven };
    },
  };
}

const unknownDestination = (): ProblemError =>
  new ProblemError('not_found', {
    detail: coded('unknown-destination'),
  });
