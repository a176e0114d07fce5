import { StoreUnavailableError } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import { anOpen } from '@mailhook/testing';
import { chunkIdOf, emailEventsProcessor } from './email-events-worker.ts';
import { AccountFullError, accountFullWaitMs } from './requeue.ts';
import { takeJobRig } from './process-producer-job-rig.suite.ts';

const opens = (count: number, account: string) => Array.from({ length: count }, () => anOpen({ account }));

describe('email-events job', () => {
  it.each([new QueueUnavailableError('away'), new StoreUnavailableError('away')])(
    'passes %s on and rejects no event',
    async (error) => {
      const { deps, faults, rejected, job } = takeJobRig();
      faults.publish = error;
      await expect(emailEventsProcessor(deps)(job({ events: [anOpen()] }))).rejects.toBe(error);
      expect(rejected.size).toBe(0);
    },
  );

  it('rejects no event while an account cannot be looked up', async () => {
    const { deps, rejected, chunks, job } = takeJobRig();
    const down = { peek: () => undefined, load: () => Promise.reject(new StoreUnavailableError('away')) };
    await expect(emailEventsProcessor({ ...deps, routing: down })(job({ events: [anOpen(), 7] }))).rejects.toThrow(
      StoreUnavailableError,
    );
    expect([rejected.size, chunks.size]).toEqual([0, 0]);
  });

  it('takes null as the absence of a field', async () => {
    const { deps, job } = takeJobRig();
    const event = { ...anOpen(), id: null, hash: null, url: null };
    await expect(emailEventsProcessor(deps)(job({ events: [event] }))).resolves.toEqual({ accepted: 1, rejected: 0 });
  });

  it('rejects an event with bytes that are not UTF-8 at every run, although the saved plan replaces them', async () => {
    const { deps, overfull, faults, rejected, apart, chunks, state, job } = takeJobRig();
    overfull.add('full');
    const sent = { events: [anOpen({ messageId: '\uFFFD' }), ...opens(1, 'full'), ...opens(1, 'fine')] };
    const one = job(sent);
    const bytes = (data: unknown) => Buffer.from(JSON.stringify(data));
    state.bytes = Buffer.from(bytes(sent).toString('latin1').replace('\u00ef\u00bf\u00bd', '\u00fc'), 'latin1');
    faults.publish = new QueueUnavailableError('away');
    await expect(emailEventsProcessor(deps)(one)).rejects.toBe(faults.publish);
    faults.publish = undefined;
    state.bytes = bytes(one.data);
    const result = await emailEventsProcessor(deps)(one);
    expect(result).toMatchObject({ accepted: 1, rejected: 1, moved: 1, errors: [{ index: 0 }] });
    expect([rejected.size, apart.size, [...chunks.values()].map((events) => events.length)]).toEqual([1, 1, [1]]);
  });

  it('has the same chunk id at every run, and shares it with no other job', () => {
    const { job } = takeJobRig();
    const id = chunkIdOf(job({}));
    expect(id).toMatch(/^[A-Za-z][A-Za-z0-9-]{0,100}$/);
    expect(chunkIdOf(job({ events: [] }))).toBe(id);
    expect(chunkIdOf({ id: 'any:id/of 7', timestamp: 1 })).not.toBe(id);
    expect(chunkIdOf({ id: 'any:id/of 8', timestamp: 1_700_000_000_000 })).not.toBe(id);
  });
});

describe('the return value of an email-events job', () => {
  it('lists rejected events by index, code and reason, in order', async () => {
    const { deps, job } = takeJobRig();
    const load = (id: string) => (id === 'nobody' ? Promise.resolve(null) : deps.routing.load(id));
    const strict = { ...deps, routing: { peek: () => undefined, load } };
    const one = job({
      events: [
        anOpen({ account: 'nobody' }),
        { ...anOpen(), colour: 'red', size: null },
        { ...anOpen(), time: -1, ip: 7, odd: 1 },
      ],
    });
    await expect(emailEventsProcessor(strict)(one)).resolves.toEqual({
      accepted: 1,
      rejected: 2,
      ignored: ['colour'],
      errors: [
        { index: 0, code: 'unknown_account', detail: 'account: there is no such account' },
        {
          index: 2,
          code: 'validation_failed',
          detail: 'time: must be Unix time in seconds such as 1767225600, not -1; ip: must be a text, not 7',
        },
      ],
    });
  });

  it('stays small, because BullMQ keeps it in the stream of 10,000 events too', async () => {
    const { deps, job } = takeJobRig();
    const events = Array.from({ length: 10_000 }, (_, i) => ({ ...anOpen(), name: 'n'.repeat(1000), hash: i }));
    const result = await emailEventsProcessor(deps)(job({ events }));
    expect([result.accepted, result.rejected, result.errors?.length]).toEqual([0, 10_000, 20]);
    expect(JSON.stringify(result).length).toBeLessThan(6000);
  });
});

describe('email-events job of an overfull account', () => {
  it('rejects all events, even if the account has room when the job runs again', async () => {
    const { deps, overfull, rejected, chunks, job } = takeJobRig();
    overfull.add('full');
    const one = job({ events: [7, ...opens(2, 'full')] });
    await expect(emailEventsProcessor(deps)(one)).resolves.toMatchObject({ accepted: 0, rejected: 3 });
    const kept = [...rejected.values()].map(({ index, reason }) => [index, reason]);
    expect(kept).toEqual([
      [0, 'invalid'],
      [1, 'too_many_waiting'],
      [2, 'too_many_waiting'],
    ]);
    expect([...rejected.values()][1]).toMatchObject({ errors: [{ path: 'account' }] });
    overfull.clear();
    await expect(emailEventsProcessor(deps)(one)).resolves.toMatchObject({ accepted: 0, rejected: 3 });
    expect([rejected.size, chunks.size]).toEqual([3, 0]);
  });

  it('waits while too many events are rejected already, and is published when the account has room', async () => {
    const { deps, overfull, rejected, chunks, state, job } = takeJobRig();
    overfull.add('full');
    state.room = 1;
    const one = job({ events: [7, ...opens(2, 'full')] });
    for (let run = 0; run < 3; run += 1) {
      await expect(emailEventsProcessor(deps)(one)).rejects.toThrow(AccountFullError);
      // Its invalid event is not kept either, because it would push out another one at every run.
      expect([rejected.size, chunks.size]).toEqual([0, 0]);
    }
    overfull.clear();
    await expect(emailEventsProcessor(deps)(one)).resolves.toMatchObject({ accepted: 2, rejected: 1 });
    expect([...chunks.values()].map((events) => events.length)).toEqual([2]);
  });

  it('waits longer the longer it has waited, up to five minutes', () => {
    expect([0, 60_000, 86_400_000].map(accountFullWaitMs)).toEqual([5000, 30_000, 300_000]);
  });
});

describe('email-events job of several accounts, some of them overfull', () => {
  it('publishes the other events, and creates a job per overfull account with the events as sent', async () => {
    const { deps, overfull, apart, chunks, rejected, job, accountsIn } = takeJobRig();
    overfull.add('full');
    const sent = { ...anOpen({ account: 'full' }), unheardOf: 1 };
    const one = job({ events: [anOpen({ account: 'fine' }), sent, anOpen({ account: 'well' })] });
    await expect(emailEventsProcessor(deps)(one)).resolves.toMatchObject({ accepted: 2, moved: 1 });
    expect([...chunks.values()].map(accountsIn)).toEqual([['fine', 'well']]);
    expect([...apart]).toEqual([['full', [sent]]]);
    expect(rejected.size).toBe(0);
  });

  it('follows the same plan at every run, so that no event is lost or published twice', async () => {
    const { deps, overfull, faults, apart, chunks, job, accountsIn } = takeJobRig();
    overfull.add('full');
    const one = job({ events: [anOpen({ account: 'fine' }), anOpen({ account: 'full' })] });
    faults.publish = new QueueUnavailableError('away');
    await expect(emailEventsProcessor(deps)(one)).rejects.toBe(faults.publish);
    faults.publish = undefined;
    overfull.clear();
    overfull.add('fine');
    await emailEventsProcessor(deps)(one);
    expect([...chunks.values()].map(accountsIn)).toEqual([['fine']]);
    expect([...apart.keys()]).toEqual(['full']);
  });
});

describe('email-events job with more deliveries than one job may hold', () => {
  const events = Array.from({ length: 1000 }, (_, i) => anOpen({ account: 'many', messageId: `m${i}` }));
  const messageIds = (chunks: ReadonlyMap<string, readonly { event: object }[]>) =>
    [...chunks.values()].flatMap((chunk) => chunk.map(({ event }) => (event as { messageId: string }).messageId));

  it('is published in several chunks, each event once, in order', async () => {
    const { deps, chunks, state, job } = takeJobRig();
    state.subscriptions = 700;
    await expect(emailEventsProcessor(deps)(job({ events }))).resolves.toEqual({ accepted: 1000, rejected: 0 });
    expect([...chunks.values()].map((chunk) => chunk.length)).toEqual([250, 250, 250, 250]);
    expect(messageIds(chunks)).toEqual(events.map(({ messageId }) => messageId));
  });

  it('is cut at the same places when it runs again with other subscriptions', async () => {
    const { deps, chunks, state, job } = takeJobRig();
    state.subscriptions = 700;
    const publish = deps.publisher.publish;
    const dying = {
      ...deps.publisher,
      publish: (...args: Parameters<typeof publish>) =>
        chunks.size === 2 ? Promise.reject(new QueueUnavailableError('away')) : publish(...args),
    };
    const one = job({ events });
    await expect(emailEventsProcessor({ ...deps, publisher: dying })(one)).rejects.toThrow(QueueUnavailableError);
    state.subscriptions = 2;
    await emailEventsProcessor(deps)(one);
    expect(messageIds(chunks)).toEqual(events.map(({ messageId }) => messageId));
  });
});
