import fc from 'fast-check';
import { SIGNING_SECRETS_MAX } from '../contracts/account.ts';
import { EVENT_TYPES } from '../contracts/event-types.ts';
import type { EventModule } from '../contracts/event-types.ts';
import { DESTINATIONS_PER_TYPE_MAX } from '../contracts/subscription.ts';
import { namesOf } from '../contracts/tables.ts';
import { coded } from './coded-text.ts';
import { typesIn } from './settings-faults.ts';
import {
  addDestination,
  addSecret,
  addToken,
  defaultSettings,
  editDestination,
  newAccount,
  OutdatedChangeError,
  removeDestination,
  removeSecret,
  removeToken,
  renameAccount,
  setCampaign,
  StoreConflictError,
  switchOff,
  TOKENS_MAX,
  version1Settings,
} from './stored-account.ts';
import type { StoredAccount, StoredSettings } from './stored-account.ts';

type Rule = (account: StoredAccount) => StoredAccount | StoreConflictError | undefined;

const NOW = '2026-11-23T10:00:00.000Z';
const CAMPAIGN = 'campaign-acc';
const address = 'https://example.com/';
const account = newAccount({ id: 'acc', name: 'Acme', createdAt: NOW });
const token = (id: string) =>
  ({ id, tokenHash: id, label: '', access: 'manage', createdAt: NOW, expiresAt: null }) as const;
const secret = (id: string) => ({ id, secret: 'whsec_', createdAt: NOW, endsAt: null });

const add =
  (id: string, types: StoredSettings['types'] = ['open'], module: EventModule = 'transactional_email'): Rule =>
  (to) =>
    addDestination(to, { id, module, settings: defaultSettings(module, { address, types }), headers: {} });
const edit =
  (id: string, settings: Partial<StoredSettings>): Rule =>
  (to) =>
    editDestination(to, id, { settings });
const campaign =
  (to: string | null, active = true): Rule =>
  (from) =>
    setCampaign(from, { address: to, active });
const gone =
  (id: string, version = 1): Rule =>
  (from) =>
    switchOff(from, { id, version, reason: 'gone', at: NOW });
const remove =
  (id: string): Rule =>
  (from) =>
    removeDestination(from, id);

/** Applies rules one after the other. Those that change nothing are left out. */
function after(rules: readonly Rule[], from = account): StoredAccount {
  let current = from;
  for (const rule of rules) {
    const next = rule(current);
    if (next !== undefined && !(next instanceof StoreConflictError)) current = next;
  }
  return current;
}

const found = ({ destinations }: StoredAccount, id: string) => destinations.find((one) => one.id === id);

const ofType = ({ destinations }: StoredAccount, module: EventModule, type: string) =>
  destinations.filter(
    (one) =>
      one.module === module &&
      one.settings.address !== null &&
      (typesIn(module, one.settings.types) as readonly string[]).includes(type),
  ).length;

const full = (type: 'open' | 'click', from = account): StoredAccount =>
  after(
    Array.from({ length: DESTINATIONS_PER_TYPE_MAX }, (_, i) => add(`${type}${i}`, [type])),
    from,
  );

const tooMany = (type: string) =>
  new StoreConflictError(coded('many-destinations', { max: DESTINATIONS_PER_TYPE_MAX, type }));

describe('after any sequence of changes, an account', () => {
  const id = fc.constantFrom('a', 'b', 'c', CAMPAIGN);
  const types = fc.constantFrom<StoredSettings['types']>(['open'], ['click', 'bounce'], ['*']);
  const rule: fc.Arbitrary<Rule> = fc.oneof(
    fc
      .tuple(fc.stringMatching(/^[a-z]{1,2}$/), types, fc.constantFrom<EventModule>('campaign', 'transactional_email'))
      .map(([one, of, module]) => add(one, of, module)),
    fc.tuple(id, types, fc.boolean()).map(([one, of, active]) => edit(one, { types: of, active })),
    id.map(remove),
    fc.tuple(fc.option(fc.webUrl()), fc.boolean()).map(([to, active]) => campaign(to, active)),
    fc.tuple(id, fc.integer({ min: 1, max: 3 })).map(([one, version]) => gone(one, version)),
    id.map(
      (one): Rule =>
        (to) =>
          editDestination(to, one, { secrets: [secret('s')], headers: { a: 'b' } }),
    ),
    id.map(
      (one): Rule =>
        (to) =>
          addSecret(to, secret(one)),
    ),
    id.map(
      (one): Rule =>
        (to) =>
          removeSecret(to, one, NOW),
    ),
    id.map(
      (one): Rule =>
        (to) =>
          addToken(to, token(one)),
    ),
  );

  it('its limits hold, its ids are unique, and nothing changes in place', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 80 }), (rules) => {
        let current = account;
        for (const one of rules) {
          const text = JSON.stringify(current);
          const next = after([one], current);
          expect(JSON.stringify(current)).toBe(text);
          const ids = next.destinations.map((each) => each.id);
          expect(new Set(ids).size).toBe(ids.length);
          for (const type of namesOf(EVENT_TYPES))
            for (const module of ['campaign', 'transactional_email'] as const)
              expect(ofType(next, module, type)).toBeLessThanOrEqual(DESTINATIONS_PER_TYPE_MAX);
          expect(next.secrets.length).toBeLessThanOrEqual(SIGNING_SECRETS_MAX);
          for (const { id: of, settings } of next.destinations)
            expect(settings.address === null && (settings.active || of !== CAMPAIGN)).toBe(false);
          expect(next).toMatchObject({ id: 'acc', createdAt: NOW, version: 0 });
          current = next;
        }
      }),
    );
  });

  it('a destination that changes has the next version, and the others are as they were', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 40 }), rule, (rules, last) => {
        const before = after(rules);
        const next = after([last], before);
        const former = new Map(before.destinations.map((one) => [one.id, one]));
        const changed = next.destinations.filter((one) => one !== former.get(one.id));
        expect(changed.length).toBeLessThanOrEqual(1);
        for (const { id: of, version } of changed) expect(version).toBe((former.get(of)?.version ?? 0) + 1);
      }),
    );
  });
});

describe('destinations', () => {
  it('are of version 1 of their record at first, and listed oldest first', () => {
    const { destinations } = after([add('b'), add('a')]);
    expect(destinations.map(({ id, version }) => [id, version])).toEqual([
      ['b', 1],
      ['a', 1],
    ]);
  });

  it('change in the given fields, and get the next version even without one', () => {
    const one = after([add('a')]);
    const change = { address: 'https://example.com/2', types: ['click' as const], active: undefined };
    const changed = after([(to) => editDestination(to, 'a', { settings: change }), edit('a', {})], one);
    const { address: to, types } = change;
    expect(found(changed, 'a')).toMatchObject({ settings: { address: to, types, active: true }, version: 3 });
    expect(edit('b', { active: false })(one)).toBeUndefined();
    expect(remove('b')(one)).toBeUndefined();
    expect(after([remove('a')], one).destinations).toEqual([]);
  });

  it('have a limit per type of a module, also when one changes its types, but not for other changes', () => {
    const many = full('click', full('open'));
    expect(add('x')(many)).toEqual(tooMany('open'));
    expect(add('x', ['bounce', 'click'])(many)).toEqual(tooMany('click'));
    expect(add('x', ['*'])(many)).toEqual(tooMany('open'));
    expect(edit('click0', { types: ['open'] })(many)).toEqual(tooMany('open'));
    expect(edit('open0', { types: ['open'], active: false })(many)).not.toBeInstanceOf(StoreConflictError);
    expect(add('x', ['bounce'])(many)).not.toBeInstanceOf(StoreConflictError);
    expect(add('x', ['open'], 'campaign')(many)).not.toBeInstanceOf(StoreConflictError);
    const room = after([remove('open0'), edit('click0', { types: ['open'] })], many);
    expect(['open', 'click'].map((type) => ofType(room, 'transactional_email', type))).toEqual([20, 19]);
  });

  it('have an own id', () => {
    expect(add('open0', ['click'])(full('open'))).toEqual(new StoreConflictError('this destination id is in use'));
  });

  it('keep their headers for one origin only', () => {
    const one = after([add('a'), (to) => editDestination(to, 'a', { headers: { x: '1' } })]);
    const near = after([edit('a', { address: `${address}other` })], one);
    expect(found(near, 'a')).toMatchObject({ headers: { x: '1' }, headersVersion: 2 });
    expect(found(after([edit('a', { address: 'https://example.net/' })], near), 'a')).toMatchObject({
      headers: {},
      headersVersion: 3,
    });
  });

  it('are switched off by a 410 of their present version, and keep its reason while they are off', () => {
    const off = after([add('a'), gone('a')]);
    expect(found(off, 'a')).toMatchObject({ settings: { active: false }, inactiveReason: 'gone', goneAt: NOW });
    expect(gone('a')(off)).toBeUndefined();
    expect(found(after([edit('a', { address: `${address}2` })], off), 'a')).toMatchObject({ inactiveReason: 'gone' });
    expect(found(after([edit('a', { active: true })], off), 'a')).toMatchObject({ inactiveReason: null, goneAt: null });
  });
});

describe('tokens, secrets and the name', () => {
  it('have limits, and are removed by id', () => {
    const secrets = ['s1', 's2', 's3'].map(
      (id): Rule =>
        (to) =>
          addSecret(to, secret(id)),
    );
    const one = after(secrets);
    expect(secrets[2]?.(one)).toEqual(new StoreConflictError(coded('many-secrets', { max: 2 })));
    expect(addSecret(after([(to) => addSecret(to, secret('s1'))]), secret('s2'), NOW)).toMatchObject({
      secrets: [{ endsAt: NOW }, { endsAt: null }],
    });
    expect(removeSecret(one, 's1', NOW)?.secrets.map(({ id }) => id)).toEqual(['s2']);
    expect(removeSecret(one, 's3', NOW)).toBeUndefined();
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
  const webhook = `${address}c`;
  const of = (rules: readonly Rule[]) => found(after(rules), CAMPAIGN);

  it('is made as the specification has it, and then keeps what else was set', () => {
    const made = of([campaign(webhook)]);
    expect(made).toMatchObject({ module: 'campaign', version: 1, settings: { address: webhook, version: 1 } });
    expect(made?.settings).toEqual(version1Settings('campaign', { address: webhook }));
    const kept = of([campaign(webhook), edit(CAMPAIGN, { types: ['open'] }), campaign(`${webhook}2`, false)]);
    expect(kept?.settings).toMatchObject({ types: ['open'], address: `${webhook}2`, active: false });
  });

  it('stays without an address, with nothing else that was set', () => {
    const set = [campaign(webhook), edit(CAMPAIGN, { types: ['open'], name: 'CRM' })];
    for (const rule of [campaign(null), remove(CAMPAIGN)]) {
      const cleared = of([...set, rule]);
      expect(cleared).toMatchObject({ version: 3, settings: { address: null, active: false, name: null } });
    }
    expect(of([...set, campaign(null), campaign(webhook)])?.settings).toEqual(
      version1Settings('campaign', { address: webhook }),
    );
    expect(campaign(null)(account)).toBe(account);
    const without = after([campaign(webhook), campaign(null)]);
    expect(found(after([edit(CAMPAIGN, { active: true })], without), CAMPAIGN)?.settings.active).toBe(false);
  });

  it('is one of the destinations of its types', () => {
    const many = Array.from({ length: DESTINATIONS_PER_TYPE_MAX }, (_, i) => add(`c${i}`, ['click'], 'campaign'));
    expect(campaign(webhook)(after(many))).toEqual(tooMany('click'));
  });
});

test('an outdated change is a conflict, which rules may return', () => {
  expect(new OutdatedChangeError('older')).toBeInstanceOf(StoreConflictError);
});
