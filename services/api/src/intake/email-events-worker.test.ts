import { UnrecoverableError } from 'bullmq';
import { StoreUnavailableError } from '@mailhook/core';
import { QueueUnavailableError, TooManyWaitingError } from '@mailhook/delivery';
import type { RoutedEvent } from '@mailhook/delivery';
import { anOpen } from '@mailhook/testing';
import { routesOf } from '../accounts/snapshot.ts';
import type { AccountSnapshot } from '../accounts/snapshot.ts';
import { chunkIdOf, emailEventsProcessor } from './email-events-worker.ts';
import type { EmailEventsDeps } from './email-events-worker.ts';
import type { RejectedEvent } from './rejected-events.ts';

function snapshotOf(id: string): AccountSnapshot {
  const subscription = {
    id: `sub-${id}`,
    account: id,
    address: 'https://example.com/',
    active: true,
    type: 'open' as const,
    module: 'transactional_email' as const,
    version: 1,
  };
  const campaign = { account: id, address: null, active: false, inactiveReason: null, version: 0 };
  return {
    account: { id, name: id },
    subscriptions: [subscription],
    campaign,
    routes: routesOf([subscription], campaign),
  };
}

/** A processor on a publisher that refuses what `refusal` says. */
function rig(refusal: (events: readonly RoutedEvent[]) => Error | undefined = () => undefined) {
  const published: { events: readonly RoutedEvent[]; chunkId: string | undefined }[] = [];
  const kept: RejectedEvent[] = [];
  const deps: EmailEventsDeps = {
    routing: { peek: snapshotOf, load: (id) => Promise.resolve(snapshotOf(id)) },
    publisher: {
      publish: (events, chunkId) => {
        const error = refusal(events);
        if (error !== undefined) return Promise.reject(error);
        published.push({ events, chunkId });
        return Promise.resolve();
      },
    },
    rejected: {
      keep: (_chunkId, events) => {
        kept.push(...events);
        return Promise.resolve();
      },
    },
    metrics: { accepted: () => undefined, rejected: () => undefined, forgotten: () => undefined },
  };
  return { deps, published, kept };
}

const job = (data: unknown) => ({ id: 'any:id/of 7', timestamp: 1_700_000_000_000, data });

describe('email-events job', () => {
  it('sets aside the events of an account over its limit, and publishes the rest', async () => {
    const { deps, published, kept } = rig((events) =>
      events.some(({ event }) => event.account === 'full') ? new TooManyWaitingError('full', 10) : undefined,
    );
    const events = [anOpen({ account: 'fine' }), anOpen({ account: 'full' }), anOpen({ account: 'fine' })];
    await expect(emailEventsProcessor(deps)(job({ events }))).resolves.toEqual({ accepted: 2, rejected: 1 });
    expect(published.map((one) => one.events.map(({ event }) => event.account))).toEqual([['fine', 'fine']]);
    expect(kept).toMatchObject([{ index: 1, errors: [{ path: 'account' }] }]);
  });

  it.each([new QueueUnavailableError('away'), new StoreUnavailableError('away')])(
    'passes %s on and rejects nothing',
    async (error) => {
      const { deps, kept } = rig(() => error);
      await expect(emailEventsProcessor(deps)(job({ events: [anOpen()] }))).rejects.toBe(error);
      expect(kept).toEqual([]);
    },
  );

  it('rejects nothing while an account cannot be looked up', async () => {
    const { deps, kept, published } = rig();
    const down = { peek: () => undefined, load: () => Promise.reject(new StoreUnavailableError('away')) };
    await expect(emailEventsProcessor({ ...deps, routing: down })(job({ events: [anOpen(), 7] }))).rejects.toThrow(
      StoreUnavailableError,
    );
    expect([kept, published]).toEqual([[], []]);
  });

  it('gives up a job that is none', async () => {
    await expect(emailEventsProcessor(rig().deps)(job({}))).rejects.toThrow(UnrecoverableError);
  });

  it('names its chunk the same at every run, and only so', () => {
    const id = chunkIdOf(job({}));
    expect(id).toMatch(/^[A-Za-z][A-Za-z0-9-]{0,100}$/);
    expect(chunkIdOf(job({ events: [] }))).toBe(id);
    expect(chunkIdOf({ id: 'any:id/of 7', timestamp: 1 })).not.toBe(id);
    expect(chunkIdOf({ id: 'any:id/of 8', timestamp: 1_700_000_000_000 })).not.toBe(id);
  });
});
