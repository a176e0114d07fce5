import { createAccountUsages } from '@mailhook/insight';
import { aCampaignEvent, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { startRig } from './rig.ts';

const batch = (count: number) =>
  Array.from({ length: count }, (_, i) => aCampaignEvent({ email: `r${i}@example.com` }));

test('an account shows its events, bytes, dead letters and deliveries, the heaviest accounts first', async () => {
  const rig = await startRig({ kind: 'campaign', breakerFailures: 1, scheduleMs: [] });
  const receiver = await startReceiver({ reply: (request) => acknowledge(request.json) });
  const dead = await startReceiver({ reply: () => ({ status: 500 }) });
  const usages = createAccountUsages(rig.installation);
  const accounts = ['well', 'dead', 'heavy'].map((name) => uniqueName(name)) as [string, string, string];
  const [well, failing, heavy] = accounts;
  try {
    const destinations = [
      await rig.destination(well, receiver.url),
      await rig.destination(failing, dead.url),
      await rig.destination(heavy, dead.url),
    ] as const;
    await rig.publish(batch(600), destinations[2]);
    const queued = await usages.read(heavy);
    await rig.startWorker();
    await rig.publish(batch(3), destinations[0]);
    await rig.publish(batch(2), destinations[1]);
    await eventually(async () => (await usages.read(failing)).deadLetters === 1, { what: 'a dead letter' });
    await eventually(async () => (await usages.read(heavy)).deadLetters === 1, { what: 'a second dead letter' });
    await rig.publish(batch(300), destinations[2]);
    await rig.publish(batch(5), destinations[1]);
    await eventually(async () => (await usages.read(failing)).events === 5, { what: 'five waiting events' });
    await eventually(async () => (await usages.read(heavy)).events === 300, { what: '300 waiting events' });
    await eventually(async () => (await usages.read(well)).delivered === 3, { what: 'three counted deliveries' });
    await eventually(async () => (await usages.read(failing)).failed >= 2, { what: 'counted failures' });

    expect(queued).toMatchObject({ events: 600, deadLetters: 0, delivered: 0, failed: 0 });
    expect(await usages.read(well)).toMatchObject({ account: well, events: 0, bytes: 0, delivered: 3, failed: 0 });
    const some = await usages.read(failing);
    expect(some).toMatchObject({ events: 5, deadLetters: 1, delivered: 0 });
    expect(some.bytes).toBeGreaterThan(7 * 100);
    expect((await usages.heaviest(1)).map(({ account }) => account)).toEqual([heavy]);
    expect((await usages.heaviest(5)).map(({ account }) => account)).toEqual([heavy, failing]);
  } finally {
    await rig.close();
    await Promise.all([receiver.close(), dead.close()]);
  }
});
