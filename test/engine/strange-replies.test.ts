import { aCampaignEvent, aClick, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { createDestinationControl } from '@mailhook/delivery';
import { startRig } from './rig.ts';

const raw = (...lines: string[]) => ({ rawBytes: Buffer.from([...lines, 'content-length: 0', '', ''].join('\r\n')) });

describe('invalid replies', () => {
  test('repeated headers are an ordinary failed attempt, and a later attempt is delivered', async () => {
    const rig = await startRig({ kind: 'campaign', scheduleMs: [20, 20, 20] });
    await rig.startWorker();
    const strange = [
      raw('HTTP/1.1 503 Busy', 'retry-after: 0', 'retry-after: 0'),
      raw('HTTP/1.1 200 OK', 'content-encoding: gzip', 'content-encoding: br'),
    ];
    const receiver = await startReceiver({ reply: (request) => strange.shift() ?? acknowledge(request.json) });
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish([aCampaignEvent()], destination);
    await receiver.waitForRequests(3);
    await eventually(() => rig.attempts.at(-1)?.status === 'delivered', { what: 'the delivery' });
    expect(rig.attempts.map(({ status }) => status)).toEqual(['failed', 'failed', 'delivered']);
    await rig.close();
    await receiver.close();
  });

  test('a web page is a delivery with a warning, and a short text with its type is none', async () => {
    const rig = await startRig({ kind: 'transactional' });
    await rig.startWorker();
    const bodies = [`<title>Our shop</title>${'x'.repeat(300)}`, 'OK'];
    const receiver = await startReceiver({
      reply: () => {
        const body = bodies.shift() ?? '';
        const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': String(body.length) };
        return { status: 200, headers, body };
      },
    });
    const destination = await rig.destination(uniqueName('sub'), receiver.url);
    for (const requests of [1, 2]) {
      await rig.publish([aClick()], destination);
      await eventually(() => rig.attempts.length === requests, { what: 'the attempt' });
    }
    expect(rig.attempts.map(({ status, error }) => `${status}: ${String(error)}`)).toEqual([
      expect.stringMatching(/^delivered: .* counts as delivered, but the reply is a web page: “Our shop”$/),
      'delivered: undefined',
    ]);
    await rig.close();
    await receiver.close();
  });

  test('a very long reason phrase is cut in Redis and in the log of attempts', async () => {
    const rig = await startRig({ kind: 'campaign', scheduleMs: [3_600_000] });
    await rig.startWorker();
    const receiver = await startReceiver({ reply: () => raw(`HTTP/1.1 500 ${'x'.repeat(14_000)}`) });
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    await rig.publish([aCampaignEvent()], destination);
    const [resend] = await eventually(
      async () => {
        const resends = await rig.resendsOf(destination.id);
        return resends.length > 0 && resends;
      },
      { what: 'the resend' },
    );
    const error = `the receiver answered HTTP 500 ${'x'.repeat(100)}`;
    expect(resend?.error).toBe(`status\t500 ${'x'.repeat(100)}`);
    expect(rig.attempts.map((attempt) => attempt.error)).toEqual([error]);
    await rig.close();
    await receiver.close();
  });
});

describe('events that wait for too long', () => {
  test('become dead letters of their destination', async () => {
    const rig = await startRig({ kind: 'transactional', waitingMaxAgeMs: 1000 });
    await rig.startWorker();
    const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
    const control = createDestinationControl(rig.installation);
    const accounts = Array.from({ length: 12 }, () => uniqueName('sub'));
    for (const account of accounts) {
      const destination = await rig.destination(account, receiver.url);
      expect(await control.pause(account, Date.now() + 3_600_000)).toBe('paused');
      await rig.publish([aClick()], destination);
    }
    for (const account of accounts) {
      const { items } = await eventually(
        async () => {
          const page = await rig.deadLetters.list({ account }, { limit: 10 });
          return page.items.length > 0 && page;
        },
        { what: 'a dead letter', withinMs: 20_000 },
      );
      expect(items).toMatchObject([
        { account, events: 1, error: expect.objectContaining({ code: 'too-old' }) as object },
      ]);
    }
    expect(receiver.requests).toEqual([]);
    await rig.close();
    await receiver.close();
  });
});
