import { createEventBuffer } from './buffer.ts';
import type { BufferOptions } from './buffer.ts';
import type { ProducerEvent } from './events.ts';
import { assertValidEvents } from './producer.ts';

const HOUR_MS = 3_600_000;

const open = (number: number, time = 1_700_000_000): ProducerEvent => ({
  account: 'account-1',
  module: 'transactional_email',
  name: 'open',
  messageId: `message-${number}`,
  time,
  ip: '192.0.2.1',
});

/** A buffer whose requests end when the test ends them. */
function rig(options: BufferOptions) {
  const requests: { events: readonly ProducerEvent[]; end: (failure?: Error) => void }[] = [];
  const send = (events: readonly ProducerEvent[]) =>
    new Promise<void>((resolve, reject) => {
      requests.push({ events, end: (failure) => (failure === undefined ? resolve() : reject(failure)) });
    });
  const buffer = createEventBuffer(send, assertValidEvents, options);
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const add = async (from: number, to: number) => {
    for (let i = from; i < to; i += 1) await buffer.add(open(i));
  };
  return { buffer, requests, settled, add };
}

describe('the buffer of a producer', () => {
  test('sends when it holds enough events, in order, one request at a time', async () => {
    const { buffer, requests, settled, add } = rig({ flushAt: 3, flushAfterMs: HOUR_MS });
    await add(0, 7);
    await settled();
    expect(requests.map(({ events }) => events.length)).toEqual([3]);
    requests[0]?.end();
    await settled();
    expect(requests).toHaveLength(2);
    requests[1]?.end();
    const flushed = buffer.flush();
    await settled();
    expect(requests.flatMap(({ events }) => events)).toEqual(Array.from({ length: 7 }, (_, i) => open(i)));
    requests[2]?.end();
    await flushed;
  });

  test('sends after a time if few events come', async () => {
    const { buffer, requests, add } = rig({ flushAfterMs: 1 });
    await add(0, 2);
    while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    requests[0]?.end();
    await buffer.close();
    expect(requests).toHaveLength(1);
  });

  test('when full, `add` waits until a request has ended', async () => {
    const { buffer, requests, settled, add } = rig({ flushAt: 2, bufferMax: 2, flushAfterMs: HOUR_MS });
    await add(0, 2);
    let isAdded = false;
    const third = buffer.add(open(2)).then(() => (isAdded = true));
    await settled();
    expect(isAdded).toBe(false);
    requests[0]?.end();
    await third;
    const closed = buffer.close();
    await settled();
    requests[1]?.end();
    await closed;
  });

  test('a failure reaches `onError` with its events, or else `flush` and `close`', async () => {
    const failed: (readonly ProducerEvent[])[] = [];
    const heard = rig({ flushAfterMs: HOUR_MS, onError: (_error, events) => failed.push(events) });
    await heard.add(0, 2);
    const flushed = heard.buffer.flush();
    await heard.settled();
    heard.requests[0]?.end(new Error('away'));
    await flushed;
    expect(failed).toEqual([[open(0), open(1)]]);

    const silent = rig({ flushAfterMs: HOUR_MS });
    await silent.add(0, 1);
    const closed = silent.buffer.close();
    await silent.settled();
    silent.requests[0]?.end(new Error('away'));
    await expect(closed).rejects.toThrow('away');
  });

  test('refuses an invalid event, and each event after `close`', async () => {
    const { buffer } = rig({});
    await expect(buffer.add(open(1, -1))).rejects.toThrow('events[0].time');
    await buffer.close();
    await expect(buffer.add(open(1))).rejects.toThrow('The producer is closed: create another one');
  });
});
