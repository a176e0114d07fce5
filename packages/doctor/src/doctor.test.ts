import { campaignBatch, notification, subscriptionType } from '@mailhook/core';
import { goodReply } from '@mailhook/testing';
import type { ReceivedRequest } from '@mailhook/testing';
import { Webhook } from 'standardwebhooks';
import { SECRET, checkOf, doctorRig, outcomes } from './doctor-rig.suite.ts';

describe('the doctor', () => {
  const rig = doctorRig();
  const { visit } = rig;

  describe('with a correct campaign receiver', () => {
    test('passes every check that applies', async () => {
      const report = await visit();
      expect(outcomes(report)).toEqual({
        reachable: 'passed',
        tls: 'skipped',
        'no-redirect': 'passed',
        access: 'passed',
        'web-page': 'passed',
        'connection-test': 'passed',
        status: 'passed',
        'content-type': 'passed',
        acknowledgement: 'passed',
        'thousand-events': 'passed',
        duplicates: 'passed',
        repeat: 'passed',
        'reply-time': 'passed',
        'keep-alive': 'passed',
        'wrong-signature': 'skipped',
      });
      expect(report).toMatchObject({ address: rig.receiver.url, kind: 'campaign', passed: 13, failed: 0 });
    });

    test('sends only marked samples, in the form of real deliveries', async () => {
      await visit();
      const [test, ...batches] = rig.receiver.requests;
      expect(test?.json).toEqual({ test: expect.any(String) as string });
      const events = batches.map(({ json }) => campaignBatch.parse(json));
      expect(events.map(({ length }) => length)).toEqual([1, 1000, 3, 1]);
      for (const event of events.flat()) {
        expect(event.hash).toMatch(/^sample-aB3_x-9Q-\d+$/);
        expect(event).toMatchObject({
          campaign: 'sample0000',
          email: expect.stringMatching(/@example\.com$/) as string,
        });
      }
      expect(new Set(events[1]?.map(({ hash }) => hash)).size).toBe(1000);
      expect(events[2]?.[2]).toEqual(events[2]?.[0]);
    });

    test('repeats a batch like a resend, identical except for `attempt`', async () => {
      await visit();
      const [first, again] = [rig.receiver.requests[1], rig.receiver.requests[4]];
      expect(again?.text).toBe(first?.text.replace('"attempt":1', '"attempt":2'));
      expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      expect([first?.headers['webhook-attempt'], again?.headers['webhook-attempt']]).toEqual(['1', '2']);
    });
  });

  test('a correct receiver of notifications passes every check that applies', async () => {
    rig.receiver.setReply(() => ({ status: 204 }));
    const report = await visit({ kind: 'transactional' });
    expect(report.checks.filter(({ outcome }) => outcome !== 'passed').map(({ id }) => id)).toEqual([
      'tls',
      'wrong-signature',
    ]);
    const sent = rig.receiver.requests.map(({ json }) => notification.parse(json));
    expect(sent.map(({ name }) => name)).toEqual([...subscriptionType.options, 'click']);
    expect(sent.every(({ messageId }) => messageId.startsWith('sample-'))).toBe(true);
    const [click, repeat] = rig.receiver.requests.filter(({ text }) => text.includes('"name":"click"'));
    expect(repeat?.text).toBe(click?.text);
    expect(repeat?.headers).toMatchObject({
      'webhook-id': click?.headers['webhook-id'],
      'webhook-attempt': '2',
    });
  });

  describe.each(['campaign', 'transactional'] as const)('signatures of a %s receiver', (kind) => {
    const isRight = ({ text, headers }: ReceivedRequest): boolean => {
      try {
        new Webhook(SECRET).verify(text, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    test('a receiver that verifies signatures passes', async () => {
      rig.receiver.setReply((request) => (isRight(request) ? goodReply(request) : { status: 401 }));
      const report = await visit({ kind, secrets: [SECRET] });
      expect(outcomes(report)).toMatchObject({ access: 'passed', 'wrong-signature': 'passed' });
      expect(report.failed).toBe(0);
    });

    test('a receiver that accepts every signature causes a warning', async () => {
      const report = await visit({ kind, secrets: [SECRET] });
      expect(outcomes(report)).toMatchObject({ access: 'passed', 'wrong-signature': 'warning' });
    });

    test('a receiver with another secret fails', async () => {
      rig.receiver.setReply((request) => (isRight(request) ? goodReply(request) : { status: 401 }));
      const report = await visit({ kind, secrets: [`whsec_${Buffer.from('older').toString('base64')}`] });
      expect(checkOf(report, 'access')).toMatchObject({
        outcome: 'failed',
        fix: expect.stringContaining('the same signing secret') as string,
      });
      const { fix, mend } = checkOf(report, 'access');
      expect(mend).toBe(fix);
      expect(report.failed).toBe(1);
    });
  });
});
