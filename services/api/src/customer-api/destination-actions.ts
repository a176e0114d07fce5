import { destinationIdOf } from '@mailhook/core';
import type { DestinationStatus, CustomerServices } from '@mailhook/core';
import type { DeadLetterBox, DestinationControl } from '@mailhook/delivery';
import { ProblemError } from '@mailhook/platform/http-server';
import { notePause } from '../accounts/noted-changes.ts';
import { unknownDestination } from './stored-destinations.ts';

interface DestinationActionsDeps {
  readonly control: DestinationControl;
  readonly destinations: Pick<CustomerServices['destinations'], 'list'>;
  readonly deadLetters: DeadLetterBox;
}

const CONFLICTS: Readonly<Record<string, string>> = {
  inactive: 'This destination is off: its events are not kept. Switch it on first.',
  'paused by an operator': 'An operator of Mailhook has paused this destination. Only an operator can change that.',
};
const SEND_NOW_CONFLICTS = { ...CONFLICTS, paused: 'This destination is paused. Resume it first.' };

export function createDestinationActions(deps: DestinationActionsDeps): CustomerServices['destinationActions'] {
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
    const id = destinationIdOf(account, destination);
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
      notePause(destination, untilMs);
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
