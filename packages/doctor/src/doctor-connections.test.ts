import { receiverReport } from '@mailhook/core';
import { aCertificate, acknowledge, freePort, goodReply, startDeafHost, startReceiver } from '@mailhook/testing';
import type { ReplyAction } from '@mailhook/testing';
import { HASTY_MS, SECRET, SECRET_TEXT, checkOf, doctorRig, outcomes } from './doctor-rig.suite.ts';

describe('the doctor judges connections and reply times', () => {
  const rig = doctorRig();
  const { visit, onBatch } = rig;

  test('a receiver that closes every connection causes a warning', async () => {
    rig.receiver.setReply((request) => ({ ...goodReply(request), headers: { connection: 'close' } }));
    expect(outcomes(await visit())).toMatchObject({ 'keep-alive': 'warning' });
    expect(rig.receiver.connections.total).toBe(5);
  });

  describe('time', () => {
    test('a receiver that never answers gets one request', async () => {
      rig.receiver.setReply(() => ({ hang: 'reply' }));
      const report = await visit({ timeoutMs: HASTY_MS });
      expect(outcomes(report)).toMatchObject({ reachable: 'failed', 'connection-test': 'skipped', status: 'skipped' });
      expect(report.failed).toBe(1);
      expect(rig.receiver.requests).toHaveLength(1);
    });

    test('a receiver that is late only for large batches', async () => {
      onBatch((events) => (events.length > 100 ? { hang: 'reply' } : acknowledge(events)));
      const report = await visit({ timeoutMs: HASTY_MS });
      expect(outcomes(report)).toMatchObject({ 'thousand-events': 'failed', 'reply-time': 'failed', repeat: 'passed' });
      expect(checkOf(report, 'thousand-events').fix).toContain('answer at once');
    });

    test('a receiver that needs more than half of the deadline causes a warning', async () => {
      rig.receiver.setReply((request) => ({
        ...goodReply(request),
        delayMs: rig.receiver.requests.length === 1 ? 600 : 0,
      }));
      expect(outcomes(await visit({ timeoutMs: 1000, kind: 'transactional' }))).toMatchObject({
        'reply-time': 'warning',
      });
    });
  });

  describe('connections', () => {
    test('a redirect ends the check', async () => {
      rig.receiver.setReply(() => ({ redirect: `http://127.0.0.1:1/${SECRET_TEXT}` }));
      const report = await visit();
      expect(checkOf(report, 'no-redirect')).toMatchObject({
        outcome: 'failed',
        fix: expect.stringContaining('final address') as string,
      });
      expect(checkOf(report, 'status')).toMatchObject({ outcome: 'skipped', detail: 'The address redirects.' });
      expect(rig.receiver.requests).toHaveLength(1);
      expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
    });

    test('a receiver that requires a login', async () => {
      rig.receiver.setReply(() => ({ status: 403 }));
      const report = await visit();
      expect(checkOf(report, 'access')).toMatchObject({
        outcome: 'failed',
        detail: 'The receiver answered HTTP 403 instead of 2xx.',
        fix: expect.stringContaining('create a signing secret') as string,
      });
      expect([report.failed, rig.receiver.requests.length]).toEqual([1, 1]);
    });

    test('a closed port', async () => {
      const report = await visit({ address: `http://127.0.0.1:${await freePort()}/` });
      expect(checkOf(report, 'reachable')).toMatchObject({
        outcome: 'failed',
        detail: 'The receiver could not be reached: connection refused.',
      });
      expect(report).toMatchObject({ passed: 0, failed: 1 });
    });

    test('a host that drops the packets is not called slow', async () => {
      const deaf = await startDeafHost();
      const report = await visit({ address: `http://127.0.0.1:${deaf.port}/`, timeoutMs: HASTY_MS });
      expect(checkOf(report, 'reachable')).toMatchObject({
        outcome: 'failed',
        detail: 'The receiver could not be reached: no connection was made in time.',
        fix: expect.stringContaining('firewall') as string,
      });
      expect(outcomes(report)).toMatchObject({ 'reply-time': 'skipped' });
      expect(report.failed).toBe(1);
      deaf.close();
    });

    test('nothing is sent to a blocked address', async () => {
      const report = await visit({ allowPrivate: false });
      expect(checkOf(report, 'reachable')).toMatchObject({
        outcome: 'failed',
        detail: expect.stringContaining('blocked') as string,
      });
      expect(rig.receiver.connections.total).toBe(0);
    });

    test.each([
      ['a trusted certificate', true, 'passed'],
      ['a self-signed certificate', false, 'failed'],
    ])('%s', async (_name, isTrusted, outcome) => {
      const tls = aCertificate({ name: 'localhost' });
      const secure = await startReceiver({ tls });
      const report = await visit({
        address: `https://localhost:${secure.port}/`,
        ...(isTrusted ? { ca: tls.cert } : {}),
      });
      expect(outcomes(report)).toMatchObject({ reachable: 'passed', tls: outcome });
      await secure.close();
    });

    test('a reply that is not HTTP', async () => {
      rig.receiver.setReply(() => ({ rawBytes: `${SECRET_TEXT}\r\n\r\n` }));
      const report = await visit();
      expect(outcomes(report)).toMatchObject({ reachable: 'passed', 'connection-test': 'failed', status: 'failed' });
      expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
    });
  });

  test.each<[string, ReplyAction]>([
    ['drips', { body: SECRET_TEXT.repeat(10), dripMs: 20 }],
    ['hangs in the body', { hang: 'body' }],
    ['resets', { reset: 'reply' }],
    ['resets in the body', { reset: 'body' }],
    ['floods', { fillBytes: 5_000_000 }],
    ['sends a compressed flood', { gzipBombBytes: 5_000_000 }],
    ['sends headers without end', { endlessHeaders: true }],
    ['sends no HTTP', { rawBytes: SECRET_TEXT }],
    ['says little', { status: 204 }],
    ['says much in its headers', { statusText: SECRET_TEXT, headers: { 'content-type': SECRET_TEXT } }],
  ])('returns a valid report for a receiver that %s', async (_name, action) => {
    rig.receiver.setReply(() => action);
    for (const kind of ['campaign', 'transactional'] as const) {
      const report = await visit({ kind, timeoutMs: HASTY_MS, secrets: [SECRET] });
      expect(receiverReport.parse(report)).toEqual(report);
      expect(report.failed).toBe(report.checks.filter(({ outcome }) => outcome === 'failed').length);
      if (kind === 'campaign') expect(report.failed).toBeGreaterThan(0);
      expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
    }
  });
});
