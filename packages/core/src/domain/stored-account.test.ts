import fc from 'fast-check';
import { SIGNING_SECRETS_MAX } from '../contracts/account.ts';
import { NO_LIMITS } from '../contracts/destination-settings.ts';
import { subscriptionType, SUBSCRIPTIONS_PER_TYPE_MAX } from '../contracts/subscription.ts';
import type { SubscriptionType } from '../contracts/subscription.ts';
import { coded } from './coded-text.ts';
import {
  addSecret,
  addSubscription,
  addToken,
  editSubscription,
  newAccount,
  OutdatedChangeError,
  removeSecret,
  removeSubscription,
  removeToken,
  renameAccount,
  saveDestinationSettings,
  setCampaign,
  StoreConflictError,
  switchOff,
  TOKENS_MAX,
} from './stored-account.ts';
import type { StoredAccount } from './stored-account.ts';

type Rule = (account: StoredAccount) => StoredAccount | StoreConflictError | undefined;

const NOW = '2026-11-23T10:00:00.000Z';
const account = newAccount({ id: 'acc', name: 'Acme', createdAt: NOW });
const input = (id: string, type: SubscriptionType = 'open', address = 'https://example.com/') => ({
  id,
  address,
  type,
  module: 'transactional_email' as const,
});
const settings = (destination: string, version: number) => ({
  destination,
  origin: 'https://example.com',
  headers: {},
  headersVersion: 0,
  limits: NO_LIMITS,
  secrets: [],
  version,
});
const token = (id: string) =>
  ({ id, tokenHash: id, label: '', access: 'manage', createdAt: NOW, expiresAt: null }) as const;

/** Applies rules one after the other. Those that change nothing are left out. */
function after(rules: readonly Rule[], from = account): StoredAccount {
  let current = from;
  for (const rule of rules) {
    const next = rule(current);
    if (next !== undefined && !(next instanceof StoreConflictError)) current = next;
  }
  return current;
}

const ofType = ({ subscriptions }: StoredAccount, type: SubscriptionType) =>
  subscriptions.filter((one) => one.type === type).length;

const full = (type: SubscriptionType, from = account): StoredAccount =>
  after(
    Array.from(
      { length: SUBSCRIPTIONS_PER_TYPE_MAX },
      (_, i) => (one) => addSubscription(one, input(`${type}${i}`, type)),
    ),
    from,
  );

describe('after any sequence of changes, an account', () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const type = fc.constantFrom(...subscriptionType.options);
  const version = fc.integer({ min: 1, max: 3 });
  const rule: fc.Arbitrary<Rule> = fc.oneof(
    fc.tuple(fc.stringMatching(/^[a-z]{1,2}$/), type).map(
      ([one, of]): Rule =>
        (to) =>
          addSubscription(to, input(one, of)),
    ),
    fc.record({ id, type, active: fc.boolean() }).map(
      (change): Rule =>
        (to) =>
          editSubscription(to, change.id, change),
    ),
    fc.tuple(id, version).map(
      ([one, of]): Rule =>
        (to) =>
          editSubscription(to, one, { active: false }, of),
    ),
    id.map(
      (one): Rule =>
        (to) =>
          removeSubscription(to, one),
    ),
    id.map(
      (one): Rule =>
        (to) =>
          addSecret(to, { id: one, secret: 'whsec_', createdAt: NOW }),
    ),
    id.map(
      (one): Rule =>
        (to) =>
          removeSecret(to, one),
    ),
    id.map(
      (one): Rule =>
        (to) =>
          addToken(to, token(one)),
    ),
    fc.tuple(fc.option(fc.webUrl()), fc.boolean()).map(
      ([address, active]): Rule =>
        (to) =>
          setCampaign(to, { address, active }),
    ),
    fc.record({ id, kind: fc.constantFrom('campaign', 'transactional'), version, reason: fc.constant('gone') }).map(
      (one): Rule =>
        (to) =>
          switchOff(to, one),
    ),
    fc.tuple(fc.oneof(id, fc.constant('campaign')), version).map(
      ([one, of]): Rule =>
        (to) =>
          saveDestinationSettings(to, settings(one, of)),
    ),
  );

  it('its limits hold, its ids are unique, settings have a destination, and nothing changes in place', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 80 }), (rules) => {
        let current = account;
        for (const one of rules) {
          const text = JSON.stringify(current);
          const next = after([one], current);
          expect(JSON.stringify(current)).toBe(text);
          const ids = next.subscriptions.map((each) => each.id);
          expect(new Set(ids).size).toBe(ids.length);
          for (const of of subscriptionType.options)
            expect(ofType(next, of)).toBeLessThanOrEqual(SUBSCRIPTIONS_PER_TYPE_MAX);
          expect(next.secrets.length).toBeLessThanOrEqual(SIGNING_SECRETS_MAX);
          const places = next.destinationSettings.map(({ destination }) => destination);
          expect(new Set(places).size).toBe(places.length);
          expect(['campaign', ...ids]).toEqual(expect.arrayContaining(places));
          expect(next.campaign.active && next.campaign.address === null).toBe(false);
          expect(next).toMatchObject({ id: 'acc', createdAt: NOW, version: 0 });
          current = next;
        }
      }),
    );
  });

  it('a part that changes has the next version, and the others are as they were', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 40 }), rule, (rules, last) => {
        const before = after(rules);
        const next = after([last], before);
        const parts = ({ subscriptions, campaign, destinationSettings }: StoredAccount) => [
          ...subscriptions.map((one) => [one.id, one] as const),
          ['campaign', campaign] as const,
          ...destinationSettings.map((one) => [`settings of ${one.destination}`, one] as const),
        ];
        const former = new Map<string, { readonly version: number }>(parts(before));
        const changed = parts(next).filter(([name, one]) => one !== former.get(name));
        expect(changed.length).toBeLessThanOrEqual(1);
        for (const [name, { version }] of changed) expect(version).toBe((former.get(name)?.version ?? 0) + 1);
      }),
    );
  });
});

describe('subscriptions', () => {
  it('are active and of version 1 at first, and listed oldest first', () => {
    const { subscriptions } = after([
      (one) => addSubscription(one, input('b')),
      (one) => addSubscription(one, input('a')),
    ]);
    expect(subscriptions).toEqual([
      { ...input('b'), active: true, version: 1 },
      { ...input('a'), active: true, version: 1 },
    ]);
  });

  it('change in the given fields, and get the next version even without one', () => {
    const one = after([(to) => addSubscription(to, input('a'))]);
    const change = { address: 'https://example.com/2', type: 'click' as const, active: undefined };
    expect(
      after([(to) => editSubscription(to, 'a', change), (to) => editSubscription(to, 'a', {})], one).subscriptions,
    ).toEqual([{ ...input('a', 'click', 'https://example.com/2'), active: true, version: 3 }]);
    expect(editSubscription(one, 'b', { active: false })).toBeUndefined();
    expect(editSubscription(one, 'a', { active: false }, 2)).toBeUndefined();
    expect(removeSubscription(one, 'b')).toBeUndefined();
  });

  it('have a limit per type, also when one changes its type, but not for other changes', () => {
    const many = full('click', full('open'));
    const tooMany = new StoreConflictError(
      coded('many-subscriptions', { max: SUBSCRIPTIONS_PER_TYPE_MAX, type: 'open' }),
    );
    expect(addSubscription(many, input('x'))).toEqual(tooMany);
    expect(editSubscription(many, 'click0', { type: 'open' })).toEqual(tooMany);
    expect(editSubscription(many, 'open0', { type: 'open', active: false })).not.toBeInstanceOf(StoreConflictError);
    expect(addSubscription(many, input('x', 'bounce'))).not.toBeInstanceOf(StoreConflictError);
    const room = after(
      [(to) => removeSubscription(to, 'open0'), (to) => editSubscription(to, 'click0', { type: 'open' })],
      many,
    );
    expect([ofType(room, 'open'), ofType(room, 'click')]).toEqual([20, 19]);
  });

  it('have an own id', () => {
    const one = full('open');
    expect(addSubscription(one, input('open0', 'click'))).toEqual(
      new StoreConflictError('this subscription id is in use'),
    );
  });
});

describe('tokens, secrets and the name', () => {
  it('have limits, and are removed by id', () => {
    const secrets = ['s1', 's2', 's3'].map(
      (id): Rule =>
        (to) =>
          addSecret(to, { id, secret: 'whsec_', createdAt: NOW }),
    );
    const one = after(secrets);
    expect(secrets[2]?.(one)).toEqual(new StoreConflictError(coded('many-secrets', { max: 2 })));
    expect(removeSecret(one, 's1')?.secrets.map(({ id }) => id)).toEqual(['s2']);
    expect(removeSecret(one, 's3')).toBeUndefined();
    const many = after(Array.from({ length: TOKENS_MAX }, (_, i) => (to) => addToken(to, token(`t${i}`))));
    expect(addToken(many, token('x'))).toBeUndefined();
    expect(removeToken(many, 't0')?.tokens).toHaveLength(TOKENS_MAX - 1);
    expect(removeToken(many, 'x')).toBeUndefined();
  });

  it('expired access tokens make room for a new one', () => {
    const short = (name: string) => ({ ...token(name), expiresAt: '2026-01-01T00:00:00.000Z' });
    const late = (name: string) => ({ ...token(name), createdAt: '2026-01-02T00:00:00.000Z' });
    const many = after(Array.from({ length: TOKENS_MAX - 1 }, (_, i) => (to) => addToken(to, short(`t${i}`))));
    const full = addToken(many, late('a')) as StoredAccount;
    expect(full.tokens).toHaveLength(TOKENS_MAX);
    expect(addToken(full, late('b'))?.tokens.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('a name that is there already changes nothing', () => {
    expect(renameAccount(account, 'Acme')).toBe(account);
    expect(renameAccount(account, 'Söhne')).toEqual({ ...account, name: 'Söhne' });
  });
});

describe('the campaign webhook', () => {
  const address = 'https://example.com/c';
  const gone = { id: 'x', kind: 'campaign', version: 1, reason: 'gone' } as const;

  it('keeps the reason of a 410 while it is inactive, also with another address', () => {
    const off = after([(to) => setCampaign(to, { address, active: true }), (to) => switchOff(to, gone)]);
    expect(off.campaign).toEqual({ address, active: false, inactiveReason: 'gone', version: 2 });
    const moved = setCampaign(off, { address: `${address}2`, active: false });
    expect(moved.campaign).toEqual({ address: `${address}2`, active: false, inactiveReason: 'gone', version: 3 });
    expect(setCampaign(moved, { address, active: true }).campaign).toMatchObject({
      active: true,
      inactiveReason: null,
    });
    expect(setCampaign(moved, { address: null, active: true }).campaign).toMatchObject({
      active: false,
      inactiveReason: null,
    });
  });

  it('is switched off by a 410 of its present version only', () => {
    const on = after([
      (to) => setCampaign(to, { address, active: true }),
      (to) => setCampaign(to, { address, active: true }),
    ]);
    expect(switchOff(on, gone)).toBeUndefined();
  });
});

test('a 410 switches off the version of a subscription that answered it', () => {
  const one = after([(to) => addSubscription(to, input('a'))]);
  const gone = { id: 'a', kind: 'transactional', version: 1, reason: 'gone' } as const;
  const off = after([(to) => switchOff(to, gone)], one);
  expect(off.subscriptions).toMatchObject([{ active: false, version: 2 }]);
  expect(switchOff(off, gone)).toBeUndefined();
});

test('an outdated change is a conflict, which rules may return', () => {
  expect(new OutdatedChangeError('older')).toBeInstanceOf(StoreConflictError);
});

test('settings of a destination need the next version, and go with their subscription', () => {
  const one = after([(to) => addSubscription(to, input('a'))]);
  expect(saveDestinationSettings(one, settings('a', 2))).toBeUndefined();
  expect(saveDestinationSettings(one, settings('b', 1))).toBeUndefined();
  const set = after(
    [
      (to) => saveDestinationSettings(to, settings('a', 1)),
      (to) => saveDestinationSettings(to, settings('campaign', 1)),
    ],
    one,
  );
  expect(saveDestinationSettings(set, settings('a', 1))).toBeUndefined();
  expect(saveDestinationSettings(set, settings('a', 2))?.destinationSettings).toEqual([
    settings('campaign', 1),
    settings('a', 2),
  ]);
  expect(removeSubscription(set, 'a')?.destinationSettings).toEqual([settings('campaign', 1)]);
});
