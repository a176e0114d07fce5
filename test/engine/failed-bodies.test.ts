import { exampleCampaignEvent, exampleEvent, SHAPE_LIMITS, VERSION_1_REQUESTS } from '@mailhook/core';
import type { Mechanism, Route, Shape } from '@mailhook/core';
import { createReadHeldEvents } from '@mailhook/insight';
import { eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { createReadAttempt } from '../../services/api/src/customer-api/deliveries.ts';
import { startRig } from './rig.ts';

const HOUR_MS = 3_600_000;
const KINDS = ['transactional', 'campaign'] as const;

test.each<readonly [Mechanism, 1 | 2, Shape]>([
  ...KINDS.map((kind) => [kind, 1, VERSION_1_REQUESTS[kind].shape] as const),
  ...KINDS.flatMap((kind) => (['single', 'array', 'batch'] as const).map((shape) => [kind, 2, shape] as const)),
])('a failed %s request of version %i and the shape %s is shown as it was sent', async (kind, version, shape) => {
  const rig = await startRig({ kind, scheduleMs: [HOUR_MS], breakerFailures: 1, parkMaxMs: HOUR_MS });
  const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
  const account = uniqueName('account');
  const id = uniqueName('own');
  const destination = await rig.destination(account, receiver.url, { id, shape, ...SHAPE_LIMITS[shape] });
  const route: Route = { id, version, isSingle: shape === 'single' };
  const event = {
    ...(kind === 'campaign' ? exampleCampaignEvent('click') : exampleEvent('click')),
    account,
    // Integers as keys, which JSON orders by themselves.
    metadata: { b: '2', 1: 'ä"' },
  };
  await rig.publisher.publish([{ event, destinations: [route] }]);
  await rig.startWorker();
  const readAttempt = createReadAttempt({
    attempts: rig.attemptLog,
    readHeldEvents: createReadHeldEvents(rig.installation),
    credentials: () => Promise.reject(new Error('away')),
    limits: { scan: (_account, scan) => scan() },
  });
  const read = (state: 'resend' | 'dead') =>
    eventually(
      async () => {
        const [one] = (await rig.attemptLog.list(account, { limit: 1, destination: id })).items;
        const found = one && (await readAttempt(account, one.id));
        return found?.held?.state === state && found;
      },
      { what: `an attempt with a ${state}` },
    );
  const failed = await read('resend');
  const module = kind === 'campaign' ? 'campaign' : 'transactional_email';
  expect(failed).toMatchObject({ kind, module, shape, destination: id });
  expect(failed.request?.body).toBe(receiver.requests[0]?.text);
  await rig.registry.save({ ...destination, active: false, version: 2 });
  const dead = await read('dead');
  expect(dead.request?.body).toBe(receiver.requests[0]?.text);
  const [letter] = (await rig.deadLetters.list({ account, destination: id }, { limit: 1 })).items;
  expect(letter).toMatchObject({ kind, module, shape, destination: id });
  const detail = await rig.deadLetters.read(account, letter?.id ?? '');
  expect(detail?.payloads).toEqual([receiver.requests[0]?.json].flat());
  await rig.close();
  await receiver.close();
});
