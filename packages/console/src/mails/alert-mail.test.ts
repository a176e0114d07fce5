import { coded, EVENT_TYPES, LANGUAGES, namesOf } from '@mailhook/core';
import { aShownDestination } from '@mailhook/testing';
import { alertMail, confirmationMail, limitMail } from './alert-mail.ts';
import type { Alert } from './alert-mail.ts';

const failing: Alert = {
  type: 'destination.failing',
  endpoint: aShownDestination({ id: 'campaign', address: 'https://user:word@hooks.example.com/a/b?key=secret#top' }),
  failingSince: '2026-11-23T10:00:01.200Z',
  failure: coded('status', { status: '503 Service Unavailable' }),
  waiting: 1250,
  deadlineMs: 2500,
};
const to = { language: 'en', account: 'Acme', ownUrl: 'https://mail.example.com/settings/alerts?token=t' } as const;
const SETTINGS = 'https://mail.example.com/settings/webhooks/endpoints/campaign';
/** Named after its types. */
const MANY = aShownDestination({ types: namesOf(EVENT_TYPES).slice(0, 5), version: 2, shape: 'array' });
const NEVER = `${to.ownUrl}&never=1`;
const LIMIT = { max: 20, until: '2026-11-24T10:00:00.000Z' };

test('an alert says what failed, since when, why, and what to do', () => {
  const { subject, text, html } = alertMail(failing, 'Acme Mail', to, SETTINGS);
  expect(subject).toBe('Your webhook fails: Campaign webhook');
  expect(text).toContain(`Account: Acme
Webhook: Campaign webhook
Events: open
Address: https://hooks.example.com/…/a/b
Since: 23 Nov 2026, 10:00 UTC
Reason: The receiver answered HTTP 503.
What to do: Your server failed. Its error log shows why.
Waiting events: 1,250

Open the webhook settings:
${SETTINGS}
`);
  expect(text).toContain(`Unsubscribe: ${to.ownUrl}\n`);
  const silent = alertMail({ ...failing, failure: coded('no-reply') }, 'Acme Mail', to, SETTINGS);
  expect(silent.text).toContain('What to do: Answer within 2.5 s.');
  for (const secret of ['secret', 'word']) expect(text + html).not.toContain(secret);
});

test.each([
  [coded('status', { status: '500 Pay at https://evil.example' }), 'The receiver answered HTTP 500.'],
  [coded('redirect', { status: '302 Pay; now' }), 'The receiver answered HTTP 302; redirects are not followed.'],
  [coded('not-array', { fault: coded('php', { quote: '“Pay at https://evil.example”' }) }), undefined],
  [coded('unreachable', { fault: coded('request-failed', { cause: 'Pay at https://evil.example' }) }), undefined],
  [coded('other', { text: 'Pay at https://evil.example' }), undefined],
  [coded('unreachable', { fault: coded('refused') }), 'The receiver could not be reached: connection refused.'],
])('nothing of a reply but its status is in a mail: %s', (failure, reason) => {
  for (const type of ['destination.failing', 'destination.deactivated'] as const) {
    const { text, html } = alertMail({ ...failing, type, failure }, 'Acme Mail', to, SETTINGS);
    expect(text + html).not.toMatch(/Pay|evil/);
    if (reason !== undefined) expect(text).toContain(`Reason: ${reason}\n`);
  }
});

test('names cannot add a header, a line or HTML', () => {
  const name = 'Acme\r\nBcc: a@b.example\n\nReason: none\u2028\u202e<b>"';
  for (const { subject, text, html } of [
    alertMail({ ...failing, failure: coded('other', { text: name }) }, name, { ...to, account: name }, SETTINGS),
    confirmationMail(name, { ...to, account: name, neverUrl: NEVER }),
    limitMail(LIMIT, name, { ...to, account: name }, SETTINGS),
  ]) {
    expect(subject).not.toMatch(/[\p{C}\p{Zl}]/u);
    expect(text).not.toMatch(/^(?:Bcc|Reason: none)/m);
    expect(html).not.toContain('<b>');
  }
});

test.each(LANGUAGES)('there is a mail of every kind in the language %s', (language) => {
  const recipient = { ...to, language };
  const mails = [
    ...(['destination.failing', 'destination.recovered', 'destination.deactivated'] as const).map((type) =>
      alertMail({ ...failing, type, endpoint: MANY }, 'Acme Mail', recipient, SETTINGS),
    ),
    confirmationMail('Acme Mail', { ...recipient, neverUrl: NEVER }),
    limitMail(LIMIT, 'Acme Mail', recipient, SETTINGS),
  ];
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(5);
  for (const { text, html } of mails) {
    expect(html).toContain(`<html lang="${language}">`);
    expect(text + html).not.toMatch(/undefined|null|\[object/);
  }
});
