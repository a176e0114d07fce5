import { acknowledge } from '@mailhook/testing';
import type { ReplyAction } from '@mailhook/testing';
import { SECRET_TEXT, checkOf, doctorRig, outcomes } from './doctor-rig.suite.ts';

describe('the doctor judges answers', () => {
  const rig = doctorRig();
  const { visit, onBatch } = rig;

  test.each<[string, ReplyAction, RegExp]>([
    [
      'a bot challenge',
      { status: 202, body: '<title>Robot Challenge Screen</title>', headers: { 'sg-captcha': 'challenge' } },
      /HTTP 202, and the reply is a web page: “Robot Challenge Screen”, and its header sg-captcha/,
    ],
    ['a login form', { body: '<html><title>Sign in</title>', headers: { 'content-type': 'text/html' } }, /“Sign in”/],
  ])('%s in place of the receiver is a failure', async (_name, reply, detail) => {
    rig.receiver.setReply(() => reply);
    const page = checkOf(await visit({ kind: 'transactional' }), 'web-page');
    expect([page.outcome, page.detail]).toEqual(['failed', expect.stringMatching(detail)]);
    expect(outcomes(await visit({ kind: 'campaign' }))).toMatchObject({
      'web-page': 'failed',
      'connection-test': 'failed',
    });
  });

  test.each<[string, ReplyAction]>([
    ['OK', { body: 'OK', headers: { 'content-type': 'text/html' } }],
    ['204', { status: 204 }],
    ['JSON', { json: { status: 'ok' } }],
    ['a body that does not come', { hang: 'body' }],
  ])('%s is no web page', async (_name, reply) => {
    rig.receiver.setReply(() => reply);
    const report = await visit({ kind: 'transactional' });
    expect(outcomes(report)).toMatchObject({ 'web-page': 'passed', open: 'passed', 'reply-time': 'passed' });
  });

  test.each([
    [429, /more requests/],
    [500, /a hash twice/],
  ])('a batch with a hash twice, answered with %i', async (status, fix) => {
    onBatch((all) => {
      const isTwice = new Set(all.map(({ hash }) => hash)).size < all.length;
      return isTwice ? { status } : { json: all.map(({ hash }) => ({ hash, status: true })) };
    });
    expect(checkOf(await visit(), 'duplicates').fix).toMatch(fix);
  });

  test.each<[string, (events: { hash: string }[]) => ReplyAction, string, RegExp, RegExp]>([
    ['202', () => ({ status: 202 }), 'status', /HTTP 202 instead of 200/, /exactly 200/],
    ['413', () => ({ status: 413 }), 'status', /HTTP 413/, /1 MiB/],
    ['401', () => ({ status: 401 }), 'status', /HTTP 401/, /without login/],
    ['500', () => ({ status: 500, body: SECRET_TEXT }), 'status', /HTTP 500/, /log/],
    ['text', () => ({ body: `a log line, ${SECRET_TEXT}` }), 'acknowledgement', /not JSON/, /array/],
    ['no hash', () => ({ json: [{ id: SECRET_TEXT, status: true }] }), 'acknowledgement', /no "hash"/, /hash/],
    [
      'the text "true"',
      (all) => ({ json: all.map(({ hash }) => ({ hash, status: 'true' })) }),
      'acknowledgement',
      /"status" of “sample-aB3_x-9Q-0” is the text “true” instead/,
      /without quotation marks/,
    ],
  ])('a batch answered with %s', async (_name, answer, id, detail, fix) => {
    onBatch(answer);
    const report = await visit();
    const check = checkOf(report, id);
    expect([check.outcome, check.detail, check.fix]).toEqual([
      'failed',
      expect.stringMatching(detail),
      expect.stringMatching(fix),
    ]);
    // One cause counts as one failure. The doctor sends nothing more, and the report says why.
    expect(report.failed).toBe(1);
    expect(rig.receiver.requests).toHaveLength(2);
    expect(checkOf(report, 'thousand-events')).toMatchObject({
      outcome: 'skipped',
      detail: 'A batch of one event was not confirmed. Fix that check first.',
    });
    expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
  });

  test.each<[string, ReplyAction, RegExp]>([
    ['404', { status: 404, body: SECRET_TEXT }, /HTTP 404/],
    ['a page', { body: SECRET_TEXT }, /is not JSON/],
    ['another status', { json: { status: 'OK' } }, /is not \{"status": "ok"\}: its "status" is the text “OK”/],
  ])('a connection test answered with %s does not stop the other checks', async (_name, action, detail) => {
    rig.receiver.setReply((request) => (Array.isArray(request.json) ? acknowledge(request.json) : action));
    const report = await visit();
    expect(checkOf(report, 'connection-test')).toMatchObject({
      outcome: 'failed',
      detail: expect.stringMatching(detail) as string,
    });
    expect(report.failed).toBe(1);
    expect(JSON.stringify(report)).not.toContain(SECRET_TEXT);
  });

  test('a receiver that acknowledges only part of a large batch', async () => {
    onBatch((events) => acknowledge(events.slice(0, 100)));
    const check = checkOf(await visit(), 'thousand-events');
    expect(check.outcome).toBe('failed');
    expect(check.detail).toMatch(
      /^The acknowledgement leaves 900 of 1000 events unconfirmed: .*-1100”, .*-1101”, .*-1102” and 897 more\.$/,
    );
  });

  test('a receiver with a body size limit', async () => {
    onBatch((events, { text }) => (text.length > 100_000 ? { status: 413 } : acknowledge(events)));
    expect(checkOf(await visit(), 'thousand-events')).toMatchObject({
      outcome: 'failed',
      fix: expect.stringContaining('1 MiB') as string,
    });
  });

  test('a receiver that fails on known hashes', async () => {
    const known = new Set<string>();
    onBatch((events) => {
      for (const { hash } of events) {
        if (known.has(hash)) return { status: 500 };
        known.add(hash);
      }
      return acknowledge(events);
    });
    const report = await visit();
    expect(checkOf(report, 'duplicates')).toMatchObject({
      outcome: 'failed',
      fix: expect.stringContaining('twice') as string,
    });
    expect(checkOf(report, 'repeat')).toMatchObject({
      outcome: 'failed',
      fix: expect.stringContaining('skip the work, not the acknowledgement') as string,
    });
    expect(report.failed).toBe(2);
  });

  test('unknown hashes and a content type other than JSON cause warnings', async () => {
    onBatch((events) => ({
      headers: { 'content-type': 'text/html' },
      body: JSON.stringify([...events, { hash: 'of-another-batch' }].map(({ hash }) => ({ hash, status: true }))),
    }));
    const report = await visit();
    expect(outcomes(report)).toMatchObject({ acknowledgement: 'warning', 'content-type': 'warning' });
    expect(report.failed).toBe(0);
  });
});
