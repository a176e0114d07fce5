import {
  SIGNING_SECRETS_MAX,
  account,
  accountIdInput,
  accountInput,
  createdSecret,
  createdToken,
  portalInput,
  signingSecret,
  tokenInput,
} from './account.ts';

describe('accountInput', () => {
  it('trims the name', () => {
    expect(accountInput.parse({ name: ' Shop ' })).toEqual({ name: 'Shop' });
  });

  it.each([{}, { name: '' }, { name: '   ' }, { name: 'n'.repeat(201) }, { name: 5 }])('refuses %j', (body) => {
    expect(accountInput.safeParse(body).success).toBe(false);
  });
});

describe('accountIdInput', () => {
  it.each(['acme', 'a', 'tenant:eu.1_2-3', '...', 'x'.repeat(64), 'constructors', '__proto'])('takes %j', (id) => {
    expect(accountIdInput.parse(id)).toBe(id);
  });

  it.each(['', '.', '..', 'a b', 'a/b', 'a~b', 'ä', 'a\n', 'x'.repeat(65), '__proto__', 'constructor', 'prototype'])(
    'refuses %j',
    (id) => {
      expect(accountIdInput.safeParse(id).success).toBe(false);
    },
  );
});

describe('portalInput', () => {
  it.each([
    {},
    { path: '/settings/webhooks' },
    { path: '/settings/webhooks#deliveries' },
    { path: '/settings/webhooks/deliveries?status=failed' },
    { path: '/settings/webhooks/endpoints/campaign?tab=settings#login' },
    { path: '/settings/webhooks?destination=campaign', returnUrl: 'https://app.example.com/x?y=1' },
  ])('accepts %j', (body) => {
    expect(portalInput.parse(body)).toEqual(body);
  });

  it.each([
    { path: 'settings/webhooks' },
    { path: '/' },
    { path: '//[' },
    { path: '//evil.example/settings/webhooks' },
    { path: '/\\evil.example/settings/webhooks' },
    { path: '/settings/webhooks/../../docs' },
    { path: '/settings/webhooks/news' },
    { path: '/settings/webhooks/endpoints/campaign/news' },
    { path: `/settings/webhooks#${'x'.repeat(2048)}` },
    { returnUrl: 'javascript:alert(1)' },
    { returnUrl: '/relative' },
  ])('refuses %j', (body) => {
    expect(portalInput.safeParse(body).success).toBe(false);
  });
});

describe('tokens and secrets', () => {
  it('accepts a token with or without a label', () => {
    expect(tokenInput.parse({})).toEqual({});
    expect(tokenInput.safeParse({ label: 'l'.repeat(201) }).success).toBe(false);
    // It would be stored as another text than the answer shows.
    expect(tokenInput.safeParse({ label: '\ud800' }).success).toBe(false);
    expect(createdToken.parse({ id: 'i', token: 't' })).toEqual({ id: 'i', token: 't' });
  });

  it('never lists a secret itself', () => {
    const stored = { id: 'i', createdAt: '2026-11-21T12:00:00Z', secret: 'whsec_x' };
    expect(signingSecret.parse(stored)).toEqual({ id: 'i', createdAt: '2026-11-21T12:00:00Z' });
    expect(createdSecret.parse(stored)).toEqual({ id: 'i', secret: 'whsec_x' });
    expect(SIGNING_SECRETS_MAX).toBe(2);
  });

  it('shows only the id and name of an account', () => {
    expect(account.parse({ id: 'i', name: 'n', tokenHash: 'x' })).toEqual({ id: 'i', name: 'n' });
  });
});
