import { createHash } from 'node:crypto';
import { exampleCampaignEvent, exampleEvent, requestBody, version2Fragment } from '@mailhook/core';
import { maskBody } from './mask-body.ts';

const SECRETS = /203\.0\.113|UNSUBTOKEN|Mozilla|anna|Anna|bob|55[0-9]|600 700|Main Street/;

describe('maskBody', () => {
  const open = {
    account: 'acc_1',
    module: 'transactional_email',
    name: 'click',
    time: 1_700_000_000,
    messageId: 'anna.smith@example.com',
    ip: '203.0.113.99',
    userAgent: 'Mozilla/5.0',
    url: 'https://shop.example/unsub?token=UNSUBTOKEN&e=bob%2540example.com',
  };
  const bounce = { ...open, name: 'bounce', type: 'hard', reason: '550 no such user anna' };
  const strange = {
    email: '"Anna" anna',
    recipient: 'Anna',
    phone: 48_600_700,
    more: [{ street: 'Main Street 5' }],
    name: 'Anna',
    event: 'bob/s@example.com',
    time: 'Anna',
    'bob@example.com': true,
    metadata: { id: 'Anna', campaign: 'Anna', deep: [550] },
    tags: ['Anna'],
    data: { account: 'Anna', age: 550 },
  };

  it.each([
    ['a rejected event', { data: { event: bounce, errors: [{ path: 'ip', message: 'must be a text' }] } }],
    ['a rejected text', { data: { event: 'Anna' } }],
    ['a rejected event of another shape', { data: { event: strange } }],
    ['a rejected list', { data: { event: [bounce, 'Anna', 55_012] } }],
    ['the events of a job', { data: { events: [open, strange, bounce] } }],
    ['fields at any other place', { progress: { ip: '203.0.113.99', deep: [{ url: 'https://x/UNSUBTOKEN' }] } }],
    ['a chunk', { data: { groups: [['t', 'd', 'acc_1', 'f', [`0001\nmsg_1\n${JSON.stringify(bounce)}`]]] } }],
    ['a text that was cut', { data: { malformedData: JSON.stringify(open).slice(0, -20) } }],
    ['escaped quotation marks', { stacktrace: [JSON.stringify({ url: 'https://x/?a="UNSUBTOKEN' })] }],
  ])('shows no recipient data in %s', (_what, body) => {
    expect(JSON.stringify(maskBody(body))).not.toMatch(SECRETS);
  });

  const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
  const free = {
    id: 'open/anna.smith@example.com',
    email: 'anna.smith@example.com',
    metadata: { order: 'Anna', 'bob@example.com': '551', nested: '"}], Anna' },
    tags: ['Anna', ']}"Anna'],
  };
  const custom = {
    ...exampleEvent('custom'),
    ...free,
    data: { list: [{ deep: 'Anna "]} Anna' }, 550], street: 'Main Street' },
  };
  const fragments = [custom, { ...exampleCampaignEvent('bounce'), ...free, reason: '550 no such user anna' }].map(
    (event) => version2Fragment(event, digest),
  );
  const [first = ''] = fragments;
  const all = fragments.join('\n');

  it.each([
    ['the body of the shape single', requestBody(first, 1, 'single')],
    ['the body of the shape array', requestBody(all, 1, 'array')],
    ['the body of the shape batch', requestBody(all, 1, 'batch')],
    ['an entry', `0002${all}`],
    ['an entry that was cut', `0002${all}`.slice(0, -60)],
    ['the ids of a chunk', `custom ${custom.id}`],
  ])('shows no recipient data in %s of version 2', (_what, text) => {
    const masked = JSON.stringify(
      maskBody({ data: { groups: [['c', 'd', 'acc_1', 'f', [text], null]] }, logs: [text] }),
    );
    expect(masked).not.toMatch(SECRETS);
    expect(masked).toContain(text.startsWith('custom ') ? 'o***@example.com' : '***');
  });

  it('shows what identifies an event, and all else that a job holds', () => {
    expect(maskBody({ name: 'events', data: { events: [bounce], event: 'open' }, opts: { attempts: 3 } })).toEqual({
      name: 'events',
      data: {
        events: [
          {
            account: 'acc_1',
            module: 'transactional_email',
            name: 'bounce',
            type: 'hard',
            time: 1_700_000_000,
            messageId: 'a***@example.com',
            ip: '***',
            userAgent: '***',
            url: '***',
            reason: '***',
          },
        ],
        event: 'open',
      },
      opts: { attempts: 3 },
    });
    const deactivation = { destination: 'd', account: 'acc_1', reason: 'the receiver replied 410', events: 7 };
    expect(maskBody(deactivation)).toEqual(deactivation);
  });
});
