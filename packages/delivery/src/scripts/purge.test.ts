import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Redis } from '@mailhook/platform/redis';
import { engineKeys } from '../keys.ts';
import type { DrainReply } from './drain-reply.ts';
import type { Scripts } from './scripts.ts';
import { createScripts } from './scripts.ts';

const HOUR_MS = 3_600_000;

describe('giving up the mail of an inactive destination', () => {
  let redis: Redis;
  let scripts: Scripts;
  let base: string;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));
  beforeEach(() => {
    const keys = engineKeys(uniqueName('purge'), 0, 'transactional');
    scripts = createScripts(redis, keys);
    base = keys.base;
  });

  const save = (active: boolean, version: number) =>
    scripts.saveDestination('d', ['account', 'http://127.0.0.1/', active ? '1' : '0', 'off', version, '']);
  const append = (chunk: string, room: number) =>
    scripts.append({
      worker: 'w',
      firstClaim: 1,
      room,
      jobKey: '',
      mark: chunk,
      part: 1,
      batchMax: 1,
      groups: [
        { destination: 'd', account: 'account', lane: 'f', events: 1, elements: [`000000000001msg_${chunk}\n{}`] },
      ],
    });
  const next = async (token: string, settles: Parameters<Scripts['next']>[0][number]['settles'] = []) =>
    (
      await scripts.next(
        [
          {
            destination: 'd',
            token,
            settles,
            slots: 1,
            batchMax: 1,
            leaving: false,
            breaker: undefined,
            gone: undefined,
            inFlight: 0,
          },
        ],
        [`{}`],
      )
    )[0];
  const purge = (token: string) => scripts.purge({ destination: 'd', token, idPrefix: `${token}-p0`, reason: '' });

  /** A resend waits for its hour; then the destination was switched off, and this worker is told to give up its mail. */
  async function toldToPurge(): Promise<DrainReply> {
    await save(true, 1);
    const appended = await append('c1', 1);
    if (typeof appended === 'string') throw new Error(appended);
    const [first] = appended.replies;
    const [batch] = first?.batches ?? [];
    const token = first?.token ?? '';
    await next(token, [
      [batch?.id ?? '', 0, [['x', batch?.id ?? '', 'msg_1', 1, 0, '', 1, 1, 'no', HOUR_MS, 2, '00000000', '']], 1],
    ]);
    await save(false, 2);
    const taken = await scripts.take('w', 2, 1, 1);
    expect(taken.replies[0]?.status).toBe('purge');
    return taken.replies[0] as DrainReply;
  }

  it('keeps every letter when more mail comes under the same owner', async () => {
    const { token } = await toldToPurge();
    const first = await purge(token);
    await append('c2', 0);
    expect((await next(token))?.status).toBe('purge');
    const second = await purge(token);
    const ids = [...(first?.letters ?? []), ...(second?.letters ?? [])].map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(await redis.hmget(`${base}dl:${ids[0] ?? ''}`, 'type', 'events', 'body')).toEqual(['batch', '1', '{}']);
    expect(await redis.hget(`${base}dl:${ids[1] ?? ''}`, 'type')).toBe('mail');
  });

  it('gives nothing up once the destination is active again', async () => {
    const { token } = await toldToPurge();
    await save(true, 3);
    await append('c2', 0);
    expect(await purge(token)).toMatchObject({ again: false, dead: 0, dropped: 0, letters: [] });
    const reply = await next(token);
    expect(reply?.batches.map(({ content }) => content)).toEqual(['msg_c2\n{}']);
  });

  it('does not send again what a dead worker had in flight, but gives it up once; what was delivered stays delivered', async () => {
    await save(true, 1);
    const claimed = await append('c1', 1);
    if (typeof claimed === 'string') throw new Error(claimed);
    const token = claimed.replies[0]?.token ?? '';
    await append('c2', 0);
    const [reply] = await scripts.next(
      [
        {
          destination: 'd',
          token,
          settles: [],
          slots: 1,
          batchMax: 1,
          leaving: false,
          breaker: undefined,
          gone: undefined,
          inFlight: 1,
        },
      ],
      [],
    );
    const second = reply?.batches[0];
    // The second is delivered, the first still open when its worker dies.
    await scripts.next(
      [
        {
          destination: 'd',
          token,
          settles: [[second?.id ?? '', 1, [], 1]],
          slots: 0,
          batchMax: 1,
          leaving: false,
          breaker: undefined,
          gone: undefined,
          inFlight: 1,
        },
      ],
      [],
    );
    await save(false, 2);
    await scripts.beat('w', 0);
    const taken = await scripts.take('survivor', 1, 1, 1);
    expect(taken.replies[0]).toMatchObject({ status: 'purge', batches: [] });
    expect(await purge(taken.replies[0]?.token ?? '')).toMatchObject({ dead: 1 });
    const letters = await redis.zrange(`${base.slice(0, -2)}dls`, '0', '-1');
    expect(letters).toHaveLength(1);
    const letter = letters[0]?.slice(1) ?? '';
    // It may have arrived: should it be sent again, then as it was, and its attempts go on.
    expect(await redis.hmget(`${base}dl:${letter}`, 'type', 'wid', 'body', 'attempts')).toEqual([
      'batch',
      'msg_c1',
      'msg_c1\n{}',
      '1',
    ]);
    await save(true, 3);
    expect(await scripts.redrive(letter, 'again')).toBe(true);
    const again = await next(taken.replies[0]?.token ?? '');
    expect(again?.batches).toMatchObject([{ webhookId: 'msg_c1', attempt: 2, content: 'msg_c1\n{}' }]);
  });
});
