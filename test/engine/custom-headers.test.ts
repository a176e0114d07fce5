import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { createSealing, SIGNING_SECRET } from '@mailhook/platform/sealing';
import { aCampaignEvent, acknowledge, anOpen, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import { startRig } from './rig.ts';

const KEY = randomBytes(32);
const sealing = createSealing([KEY]);
const account = uniqueName('account');
const seal = (text: string, field: string): string => sealing.seal(text, { account, field });
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX';

describe.each(['transactional', 'campaign'] as const)('custom headers of a %s destination', (kind) => {
  const event = () => (kind === 'campaign' ? aCampaignEvent() : anOpen());
  const setUp = async (more: Partial<Parameters<typeof startRig>[0]> = {}) => {
    const receiver = await startReceiver({
      reply: (request) => (kind === 'campaign' ? acknowledge(request.json) : { status: 200 }),
    });
    const rig = await startRig({ kind, ...more });
    const close = async () => {
      await rig.close();
      await receiver.close();
    };
    return { receiver, rig, close };
  };

  it('go with every request, decrypted, beside the signature; the log keeps only their names', async () => {
    const { receiver, rig, close } = await setUp({ secretsKeys: [KEY] });
    await rig.startWorker();
    const destination = await rig.destination(account, receiver.url, {
      secrets: [seal(SECRET, SIGNING_SECRET)],
      headers: {
        authorization: seal('Bearer s3cr3t', 'authorization'),
        'x-team': createSealing([]).seal('mail', { account, field: 'x-team' }),
      },
    });
    receiver.setReply(() => ({ status: 500 }));
    await rig.publish([event()], destination);
    await receiver.waitForRequests(1);
    receiver.setReply((request) => (kind === 'campaign' ? acknowledge(request.json) : { status: 200 }));
    await receiver.waitForRequests(2);
    for (const { headers } of receiver.requests) {
      expect(headers).toMatchObject({ authorization: 'Bearer s3cr3t', 'x-team': 'mail' });
      expect(headers['webhook-signature']).toMatch(/^v1,\S+$/);
      expect(headers['content-type']).toMatch(/^application\/json/);
    }
    await eventually(() => rig.attempts.length === 2, { what: 'both attempts' });
    expect(rig.attempts[0]?.facts?.request).toMatchObject({ signatures: 1, custom: ['authorization', 'x-team'] });
    expect(JSON.stringify(rig.attempts)).not.toContain('s3cr3t');
    await close();
  });

  it('that change while requests follow each other go with the next request', async () => {
    const { receiver, rig, close } = await setUp();
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const reply = (json: unknown) => (kind === 'campaign' ? acknowledge(json) : { status: 200 });
    receiver.setReply(async ({ json }) => answered.then(() => reply(json)));
    await rig.startWorker();
    const owner = uniqueName('account');
    const headers = (team: string) => ({ 'x-team': createSealing([]).seal(team, { account: owner, field: 'x-team' }) });
    const destination = await rig.destination(owner, receiver.url, { headers: headers('one') });
    await rig.publish([event()], destination);
    await receiver.waitForRequests(1);
    await rig.publish([event()], destination);
    await eventually(async () => (await rig.mailbox(destination.id)).state.fresh === 1, { what: 'the second event' });
    // As the api writes it: settings do not raise the version of the record.
    await rig.registry.save({ ...destination, headers: headers('two') });
    answer();
    const requests = await receiver.waitForRequests(2);
    expect(requests.map((request) => request.headers['x-team'])).toEqual(['one', 'two']);
    await close();
  });

  it('that cannot be decrypted hold the request back without an attempt, and the log names the key', async () => {
    const logStream = new PassThrough({ encoding: 'utf8' });
    let log = '';
    logStream.on('data', (text: string) => (log += text));
    const { receiver, rig, close } = await setUp({ scheduleMs: [], timeoutMs: 500, logLevel: 'debug', logStream });
    const worker = await rig.startWorker();
    const destination = await rig.destination(account, receiver.url, {
      headers: { authorization: seal('Bearer s3cr3t', 'authorization') },
    });
    await rig.publish([event()], destination);
    await eventually(() => /SECRETS_KEY lacks the key [\da-f]{8}/.test(log), { what: 'the warning' });
    expect([receiver.requests, rig.attempts]).toEqual([[], []]);
    await worker.close();
    const repaired = await setUp({ queuePrefix: rig.queuePrefix, secretsKeys: [KEY] });
    await repaired.rig.startWorker();
    await receiver.waitForRequests(1);
    expect(receiver.requests[0]?.headers['authorization']).toBe('Bearer s3cr3t');
    await repaired.close();
    await close();
  });
});
