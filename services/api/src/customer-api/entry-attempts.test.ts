import { destinationIdOf, derivedHash, fieldsOfEvent, identityText } from '@mailhook/core';
import type { EventTraces, LogEntry, ProducerEvent } from '@mailhook/core';
import { createAttemptRecorder, Installation } from '@mailhook/delivery';
import type { AttemptRecord } from '@mailhook/delivery';
import { entryName, notificationStem, outcomeKey } from '@mailhook/event-log';
import { aCampaignEvent, anEvent } from '@mailhook/testing';
import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import { startLoggingApi } from '../logged-events.suite.ts';

const HOUR_MS = 3_600_000;
const sha256 = (text: string): string => hash('sha256', text, 'base64url');

describe('an entry of the event log', () => {
  let rig: Awaited<ReturnType<typeof startLoggingApi>>;
  let redis: Redis;
  beforeEach(async () => {
    rig = await startLoggingApi();
    redis = new Redis(rig.api.redisUrl);
  });
  afterEach(async () => {
    redis.disconnect();
    await rig.close();
  });

  const record = async (account: string, attempts: readonly Partial<AttemptRecord>[]): Promise<void> => {
    const installation = new Installation(redis, rig.api.prefix, 1);
    const recorder = createAttemptRecorder(installation, { onError: () => undefined });
    for (const one of attempts)
      recorder.record({
        id: `a${attempts.indexOf(one)}`,
        time: new Date().toISOString(),
        account,
        kind: 'campaign',
        destination: 'campaign',
        shape: 'batch',
        status: 'failed',
        attempt: 1,
        events: 1,
        eventKeys: [],
        durationMs: 1,
        address: 'http://127.0.0.1:9/',
        ...one,
      });
    await recorder.close();
    await installation.close();
  };
  const logged = (account: string, chunk: string, acceptedAtMs: number, event: ProducerEvent) => ({
    acceptedAtMs,
    chunk,
    n: 0,
    destinations: [destinationIdOf(account, 'campaign')],
    ...fieldsOfEvent({ ...event, account }),
  });

  test('has its attempts of version 1, and of the events of its message no others', async () => {
    const { api, write } = rig;
    const { id, token } = await api.newAccount();
    const acceptedAtMs = Date.now() - HOUR_MS;
    const campaign = { ...aCampaignEvent({ account: id, id: 'evt-1' }) };
    const open = logged(id, 'c1', acceptedAtMs, campaign);
    const [one, other] = ['c2', 'c3'].map((chunk) =>
      logged(id, chunk, acceptedAtMs, { ...anEvent('open', { messageId: 'm-1' }), account: id }),
    );
    await write({ events: [open, one!, other!] });
    const notification = { kind: 'transactional', shape: 'single', eventKeys: ['m-1'] } as const;
    await record(id, [
      { eventKeys: [campaign.hash ?? derivedHash(identityText(campaign), sha256)], webhookId: 'msg_1' },
      { ...notification, webhookId: `${notificationStem(one!)}_d1` },
      { ...notification, webhookId: `${notificationStem(other!)}_d1` },
    ]);
    const idsOf = async (event: typeof open) => {
      const reply = await api.as(token)('get', `/v3/webhook/log/${entryName(event)}`);
      return (reply.body as LogEntry).attempts.map((attempt) => attempt.id);
    };
    expect([await idsOf(open), await idsOf(one!), await idsOf(other!)]).toEqual([['a0'], ['a1'], ['a2']]);
  });

  test('does not have the attempts of another entry of its id', async () => {
    const { api, write } = rig;
    const { id, token } = await api.newAccount();
    const event = { ...anEvent('open', { id: 'evt-1' }), account: id };
    const times = [3, 1].map((hours) => Date.now() - hours * HOUR_MS);
    const events = times.map((ms, n) => logged(id, `c${n}`, ms, event));
    await write({ events });
    const version2 = { eventKeys: ['evt-1'], messageIds: [''], kind: 'transactional', shape: 'single' } as const;
    await record(
      id,
      times.map((ms) => ({ ...version2, time: new Date(ms + 1000).toISOString() })),
    );
    for (const [n, one] of events.entries()) {
      const reply = await api.as(token)('get', `/v3/webhook/log/${entryName(one)}`);
      expect((reply.body as LogEntry).attempts.map((attempt) => attempt.id)).toEqual([`a${n}`]);
    }
    const at = { destination: destinationIdOf(id, 'campaign'), keys: outcomeKey('evt-1'), atMs: Date.now() };
    await write({
      outcomes: [{ ...at, account: id, result: 'discarded', attempt: 1, webhookId: 'msg_1', replay: '' }],
    });
    const reply = await api.as(token)('post', '/v3/webhook/events/search', { id: 'evt-1' });
    const ends = (reply.body as EventTraces).items.map(({ discardedAt }) => discardedAt);
    // The newest attempt failed, but that is not how the event ended.
    expect(new Set(ends)).toEqual(new Set([new Date(at.atMs).toISOString()]));
  });
});
