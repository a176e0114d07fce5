import { aCampaignEvent, acknowledge, anOpen, startReceiver, uniqueName } from '@mailhook/testing';
import type { ReceivedRequest } from '@mailhook/testing';
import { testRedisUrl } from '@mailhook/testing';
import { startRig } from '../engine/rig.ts';
import { startDoomedWorker } from './rig/doomed.ts';

/** The request's text without the values of `attempt`. */
const withoutAttempt = ({ text }: ReceivedRequest): string => text.replace(/"attempt":\d+\}/g, '"attempt":}');

/** Text that a careless serializer, cut or join would change. */
const AWKWARD = [
  'ann\u00e4@b\u00fccher.example',
  '\u{1f642}\u{1f468}\u200d\u{1f469}\u200d\u{1f467}@example.com',
  'a"attempt":7}b@example.com',
  'line\u2028break\\n@example.com',
  '\u0000\u001f"\\/@example.com',
];

describe('a worker is killed while requests are in flight', () => {
  test.each(['campaign', 'transactional'] as const)(
    '%s: the next worker sends the same bytes under the same webhook-id, with attempt one higher',
    async (kind) => {
      // The first worker never gets a reply.
      const receiver = await startReceiver({
        reply: (request) =>
          request.headers['webhook-attempt'] === '1'
            ? { hang: 'reply' }
            : kind === 'campaign'
              ? acknowledge(request.json)
              : {},
      });
      const rig = await startRig({ kind, timeoutMs: 30_000 });
      const destination = await rig.destination(uniqueName('account'), receiver.url);
      const events = AWKWARD.map((text, i) =>
        kind === 'campaign'
          ? aCampaignEvent({ email: text, event: 'click', url: `https://x.example/?${text}&${i}` })
          : anOpen({ messageId: text, ip: '192.0.2.7' }),
      );
      // A notification is one request, and the second leaves only after the first reply. So one notification shows as
      // much as several.
      await rig.publish(kind === 'campaign' ? events : events.slice(0, 1), destination);
      const redisUrl = await testRedisUrl();
      const worker = await startDoomedWorker({ kind, redisUrl, queuePrefix: rig.queuePrefix, scheduleMs: [50] });
      await receiver.waitForRequests(1, 30_000);
      worker.kill();
      await expect(worker.died).resolves.toBe('SIGKILL');
      await rig.startWorker();
      const [first, second] = await receiver.waitForRequests(2, 30_000);
      expect(second!.headers['webhook-attempt']).toBe('2');
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      expect(withoutAttempt(second!)).toBe(withoutAttempt(first!));
      if (kind === 'campaign') {
        const [before, after] = [first!, second!].map(({ json }) => json as { attempt: number; email: string }[]);
        expect(before!.map(({ email }) => email)).toEqual(AWKWARD);
        expect(before!.map(({ attempt }) => attempt)).toEqual(AWKWARD.map(() => 1));
        expect(after!.map(({ attempt }) => attempt)).toEqual(AWKWARD.map(() => 2));
      } else {
        expect(second!.text).toBe(first!.text);
      }
      await rig.close();
      await receiver.close();
    },
    90_000,
  );
});
