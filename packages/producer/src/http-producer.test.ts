import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { typesOf } from '@mailhook/core';
import { createHttpProducer } from './http-producer.ts';
import { InvalidEventsError, SendError } from './producer.ts';
import type { ProducerEvent } from './events.ts';

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string | string[]>;
  /** A text is sent as it is. */
  readonly body?: unknown;
}

interface Seen {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly events: ProducerEvent[];
}

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

/** A fake api that sends these replies in turn and repeats the last one. `drop` breaks the connection. */
async function startApi(answers: readonly (Answer | 'drop')[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const answer = answers[Math.min(seen.length, answers.length - 1)]!;
      seen.push({ path: request.url, headers: request.headers, events: JSON.parse(body) as ProducerEvent[] });
      if (answer === 'drop') return request.socket.destroy();
      const fallback = { accepted: seen.at(-1)!.events.length };
      const { body: own = fallback } = answer;
      return response.writeHead(answer.status, answer.headers).end(typeof own === 'string' ? own : JSON.stringify(own));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const open = (number: number, id?: string): ProducerEvent => ({
  account: 'account-1',
  module: 'transactional_email',
  name: 'open',
  messageId: `message-${number}`,
  time: 1_700_000_000 + number,
  ip: '192.0.2.1',
  ...(id === undefined ? {} : { id }),
});
const opens = (count: number) => Array.from({ length: count }, (_, number) => open(number));

const accepted: Answer = { status: 202 };
const busy: Answer = { status: 503, headers: { 'retry-after': '0' }, body: { title: 'Service Unavailable' } };

const PAGE: Answer = {
  status: 202,
  headers: { 'content-type': 'text/html', 'sg-captcha': 'challenge' },
  body: '<html>\n<title>Checking your browser</title>',
};

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('createHttpProducer', () => {
  test('posts the events as one array with the token', async () => {
    const api = await startApi([accepted]);
    const producer = createHttpProducer({ url: api.url, token: 'secret-token' });

    await expect(producer.send(opens(3))).resolves.toEqual({ accepted: 3 });

    expect(api.seen).toHaveLength(1);
    expect(api.seen[0]).toMatchObject({
      path: '/v3/events',
      headers: { authorization: 'Bearer secret-token', 'content-type': 'application/json;charset=UTF-8' },
      events: opens(3),
    });
  });

  test('keeps the path of the base URL, with or without a trailing slash', async () => {
    const api = await startApi([accepted]);
    await createHttpProducer({ url: `${api.url}/mail`, token: 't' }).send(opens(1));
    await createHttpProducer({ url: `${api.url}/mail/`, token: 't' }).send(opens(1));
    expect(api.seen.map(({ path }) => path)).toEqual(['/mail/v3/events', '/mail/v3/events']);
  });

  test('rejects an invalid event by index and field, and sends nothing', async () => {
    const api = await startApi([accepted]);
    const wrong = { ...open(1), time: 'yesterday' } as unknown as ProducerEvent;

    const failure = await failureOf(createHttpProducer({ url: api.url, token: 't' }).send([open(0), wrong]));

    expect(failure).toBeInstanceOf(InvalidEventsError);
    expect((failure as InvalidEventsError).faults).toEqual([expect.objectContaining({ index: 1, path: 'time' })]);
    expect(String(failure)).toContain('events[1].time');
    expect(api.seen).toEqual([]);
  });

  test('finds the same faults as the api, in the same words', async () => {
    const api = await startApi([accepted]);
    const oneOf = (types: readonly string[]) => `one of "${types.join('", "')}"`;
    const wrong = [{ ...open(1), time: 'yesterday' }, { module: 'campaign' }, { ...open(2), name: 'opened' }, 5];

    const failure = await failureOf(createHttpProducer({ url: api.url, token: 't' }).send(wrong as ProducerEvent[]));

    expect((failure as InvalidEventsError).faults).toEqual([
      { index: 0, path: 'time', message: 'must be Unix time in seconds such as 1767225600, not "yesterday"' },
      { index: 1, path: 'event', message: `is required: ${oneOf(typesOf('campaign'))}` },
      ...['account', 'campaign', 'email', 'timestamp'].map((path) => ({ index: 1, path, message: 'is required' })),
      { index: 2, path: 'name', message: `must be ${oneOf(typesOf('transactional_email'))}, not "opened"` },
      { index: 3, path: '', message: 'must be a JSON object, not 5' },
    ]);
  });

  test.each([open(1), undefined, 'text', { length: 1 }])(
    'says what to do if send gets %j, not an array',
    async (value) => {
      const producer = createHttpProducer({ url: 'http://127.0.0.1:1', token: 't' });
      const failure = await failureOf(producer.send(value as never));
      expect(failure).toEqual(new TypeError('send() takes an array of events; use add() for one'));
    },
  );

  test.each(['localhost', 'localhost:3000', '', 'ftp://127.0.0.1', 'http://', undefined])(
    'names the url %j as the fault',
    (url) => {
      const create = () => createHttpProducer({ url: url as string, token: 't' });
      expect(create).toThrow(
        `url must be an http or https URL, such as http://mailhook:3000, but is ${JSON.stringify(url)}`,
      );
    },
  );

  test('after close, send and add say that the producer is closed', async () => {
    const api = await startApi([accepted]);
    const producer = createHttpProducer({ url: api.url, token: 't' });
    await producer.close();
    const closed = new Error('The producer is closed: create another one to send more events.');
    expect(await failureOf(producer.send(opens(1)))).toEqual(closed);
    expect(await failureOf(producer.add(open(1)))).toEqual(closed);
    expect(api.seen).toEqual([]);
  });

  test('says that close ended a request, instead of that the api gave no answer', async () => {
    const server = createServer(() => undefined);
    const arrived = once(server, 'request');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push({ close: () => (server.closeAllConnections(), server.close()) });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const producer = createHttpProducer({ url, token: 't' });
    const sending = failureOf(producer.send(opens(1)));
    await arrived;
    await producer.close();
    expect(String(await sending)).toBe(
      'SendError: The producer was closed before Mailhook answered; whether it took these events is unknown',
    );
  });

  test('sends more than 10,000 events as several requests, in order', async () => {
    const api = await startApi([accepted]);
    await expect(createHttpProducer({ url: api.url, token: 't', addIds: false }).send(opens(20_001))).resolves.toEqual({
      accepted: 20_001,
    });
    expect(api.seen.map(({ events }) => events.length)).toEqual([10_000, 10_000, 1]);
    expect(api.seen.flatMap(({ events }) => events)).toEqual(opens(20_001));
  });

  test('splits large events into bodies that the api accepts', async () => {
    const api = await startApi([accepted]);
    const long: ProducerEvent = { ...open(0), name: 'click', userAgent: '', url: 'u'.repeat(9000) } as ProducerEvent;
    await createHttpProducer({ url: api.url, token: 't' }).send(Array.from({ length: 4000 }, () => long));
    expect(api.seen.length).toBeGreaterThan(1);
    for (const { headers } of api.seen) expect(Number(headers['content-length'])).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect(api.seen.flatMap(({ events }) => events)).toHaveLength(4000);
  });

  test.each([
    ...[408, 425, 429, 500, 502, 503, 504, 529].map((status) => [String(status), { ...busy, status }] as const),
    ['a dropped connection', 'drop'],
    ['a 202 with a web page', PAGE],
    ['an empty 202', { status: 202, body: '' }],
    ['a 202 that says something else', { status: 202, body: { status: 'queued' } }],
    ['a 202 that accepted nothing', { status: 202, body: { accepted: 0 } }],
    ['a 202 that accepted fewer events', { status: 202, body: { accepted: 1 } }],
    ['a 202 with a text as the number', { status: 202, body: { accepted: '2' } }],
    ['a 202 with null', { status: 202, body: 'null' }],
    ['a 200', { status: 200 }],
    ['a 204', { status: 204, body: '' }],
  ] as const)('repeats a request after %s if every event has an id', async (_, answer: Answer | 'drop') => {
    const api = await startApi([answer, answer, accepted]);
    const producer = createHttpProducer({ url: api.url, token: 't', maxWaitMs: 5 });
    await expect(producer.send([open(0, 'a'), open(1, 'b')])).resolves.toEqual({ accepted: 2 });
    expect(api.seen).toHaveLength(3);
    expect(api.seen[2]?.events).toEqual(api.seen[0]?.events);
  });

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 426, 451, 301, 302, 307, 304])(
    'does not repeat a request after a %d, and says the status',
    async (status) => {
      const body = status === 304 ? '' : 'Moved <b>here</b>';
      const api = await startApi([{ status, body, headers: { 'retry-after': '0', location: '/elsewhere' } }, accepted]);
      const failure = await failureOf(createHttpProducer({ url: api.url, token: 't' }).send([open(0)]));
      expect(failure).toMatchObject({ name: 'SendError', status, accepted: 0 });
      expect(String(failure)).toBe(`SendError: Mailhook answered ${status}${body === '' ? '' : `: ${body}`}`);
      expect(api.seen).toHaveLength(1);
    },
  );

  test.each([
    [PAGE, 'Mailhook answered 202 without "accepted": 1: <html> <title>Checking your browser</title>'],
    [{ status: 202, body: '' }, 'Mailhook answered 202 without "accepted": 1'],
    [{ status: 202, body: { status: 'queued' } }, 'Mailhook answered 202 without "accepted": 1: {"status":"queued"}'],
    [{ status: 202, body: { accepted: 0 } }, 'Mailhook answered 202 without "accepted": 1: {"accepted":0}'],
    [{ status: 500, body: '{"errors":[null,"x",{"message":"no"}]}' }, 'Mailhook answered 500: {"errors":[null,'],
    [{ status: 502, body: '<h1>Bad\n\nGateway</h1>' }, 'Mailhook answered 502: <h1>Bad Gateway</h1>'],
    [{ status: 500, body: { error: 'x'.repeat(1000) } }, `Mailhook answered 500: {"error":"${'x'.repeat(190)}`],
  ] as const)(
    'reply %# is a failure in the end, with its status and the start of its body',
    async (answer, message) => {
      const api = await startApi([answer]);
      const failed: (readonly ProducerEvent[])[] = [];
      const onError = (_error: Error, events: readonly ProducerEvent[]): void => void failed.push(events);
      const producer = createHttpProducer({ url: api.url, token: 't', attempts: 2, maxWaitMs: 1, onError });
      const failure = await failureOf(producer.send([open(0)]));
      expect(failure).toMatchObject({ name: 'SendError', status: answer.status, accepted: 0 });
      expect(String(failure)).toContain(message);
      expect(String(failure).length).toBeLessThan(400);
      expect(api.seen).toHaveLength(2);
      await producer.add(open(1));
      await producer.close();
      expect(failed).toEqual([[open(1)]]);
    },
  );

  test.each([
    ['0.3', 1000],
    [['1', '2'], 2000],
    ['1, 0', 1000],
  ])('waits for the Retry-After %j of a 502', async (retryAfter, waitMs) => {
    const api = await startApi([{ status: 502, headers: { 'retry-after': retryAfter } }, accepted]);
    const startedMs = performance.now();
    await createHttpProducer({ url: api.url, token: 't' }).send(opens(1));
    // Timers may fire up to a millisecond early.
    expect(performance.now() - startedMs).toBeGreaterThan(waitMs - 5);
  });

  test('all events arrive once through a proxy that answers 502 for a second', async () => {
    const api = await startApi([accepted]);
    let firstMs: number | undefined;
    const proxy = createServer((request, response) => {
      firstMs ??= performance.now();
      if (performance.now() - firstMs < 1000) return void response.writeHead(502).end('<h1>Bad Gateway</h1>');
      const { method = '', url = '', headers } = request;
      void text(request).then(async (body) => {
        const reply = await fetch(`${api.url}${url}`, {
          method,
          body,
          headers: { authorization: headers.authorization! },
        });
        response.writeHead(reply.status).end(await reply.text());
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    opened.push(proxy);
    const failed: unknown[] = [];
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const producer = createHttpProducer({ url, token: 't', flushAt: 4, onError: (error) => failed.push(error) });
    for (const event of opens(40)) await producer.add(event);
    await producer.close();
    expect(failed).toEqual([]);
    const arrived = api.seen.flatMap(({ events }) => events.map((event) => (event as { messageId: string }).messageId));
    expect(arrived).toEqual(opens(40).map((event) => (event as { messageId: string }).messageId));
  });

  test('with `addIds: false`, does not repeat a request if an event has no id', async () => {
    const api = await startApi([busy, accepted]);
    const producer = createHttpProducer({ url: api.url, token: 't', addIds: false });
    const failure = await failureOf(producer.send([open(0, 'a'), open(1)]));
    expect(failure).toMatchObject({ name: 'SendError', status: 503, accepted: 0 });
    expect(api.seen).toHaveLength(1);
  });

  test('repeats a request under the same ids, which it gives to events without one', async () => {
    const api = await startApi([busy, accepted]);
    const producer = createHttpProducer({ url: api.url, token: 't' });
    await expect(producer.send([open(0, 'own'), open(1)])).resolves.toEqual({ accepted: 2 });
    expect(api.seen[1]?.events).toEqual(api.seen[0]?.events);
    expect(api.seen[0]?.events.map(({ id }) => id)).toEqual(['own', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  test('stops after the configured number of attempts', async () => {
    const api = await startApi([busy]);
    const producer = createHttpProducer({ url: api.url, token: 't', attempts: 3, maxWaitMs: 1 });
    await expect(producer.send([open(0, 'a')])).rejects.toThrow(SendError);
    expect(api.seen).toHaveLength(3);
  });

  test('does not repeat a refused request, and reports indexes within the whole call', async () => {
    const problem = { title: 'Validation failed', errors: [{ path: '7.account', message: 'is unknown' }] };
    const api = await startApi([accepted, { status: 422, body: problem }]);
    const failure = await failureOf(createHttpProducer({ url: api.url, token: 't' }).send(opens(10_010)));
    expect(failure).toMatchObject({ status: 422, accepted: 10_000 });
    expect(String(failure)).toContain('events[10007].account: is unknown');
    expect(api.seen).toHaveLength(2);
  });

  test('stops waiting at the deadline if the server never replies', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push({ close: () => (server.closeAllConnections(), server.close()) });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failure = await failureOf(createHttpProducer({ url, token: 't', timeoutMs: 50 }).send([open(0)]));
    expect(String(failure)).toContain('whether it took these events is unknown');
  });

  test('close ends the wait between two tries', async () => {
    const api = await startApi([{ ...busy, headers: { 'retry-after': '3600' } }]);
    const producer = createHttpProducer({ url: api.url, token: 't', maxWaitMs: 3_600_000 });
    const sending = failureOf(producer.send([open(0, 'a')]));
    while (api.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await producer.close();
    // The close may arrive before the reply.
    expect(String(await sending)).toMatch(/^SendError: (.+\n)?The producer was closed before (another try|Mailhook)/);
  });
});
