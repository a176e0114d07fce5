import { changesBetween } from './account-changes.ts';
import {
  addDestination,
  addSecret,
  addToken,
  defaultSettings,
  editDestination,
  newAccount,
  removeDestination,
  removeToken,
} from './stored-account.ts';
import type { StoredAccount } from './stored-account.ts';

const AT = '2026-01-01T00:00:00.000Z';
const account = newAccount({ id: 'acc', name: 'Acme', createdAt: AT });
const token = { id: 't', tokenHash: 'hash', label: 'ci', access: 'read', createdAt: AT, expiresAt: null } as const;
const settings = defaultSettings('campaign', { address: 'https://a.example.com/', types: ['open', 'click'] });
const withOne = addDestination(account, {
  id: 'campaign-acc',
  module: 'campaign',
  settings,
  headers: { authorization: 'Bearer secret' },
}) as StoredAccount;

describe('the changes of an account', () => {
  it('have each field before and after, by the public id of its object', () => {
    const changed = editDestination(withOne, 'campaign-acc', {
      settings: { address: 'https://a.example.com/new', types: ['*'], active: false, filter: { tags: ['a'] } },
    }) as StoredAccount;
    expect(changesBetween(withOne, changed)).toEqual([
      { object: 'campaign', field: 'active', before: 'true', after: 'false' },
      { object: 'campaign', field: 'filter', before: null, after: 'tags' },
      { object: 'campaign', field: 'address', before: 'https://a.example.com/', after: 'https://a.example.com/new' },
      { object: 'campaign', field: 'types', before: 'open, click', after: '*' },
    ]);
  });

  it('of a filter have no values, which may be data of recipients', () => {
    const filtered = (tags: string[]) => editDestination(withOne, 'campaign-acc', { settings: { filter: { tags } } });
    const changes = changesBetween(filtered(['a']) as StoredAccount, filtered(['b']) as StoredAccount);
    expect(changes).toEqual([{ object: 'campaign', field: 'filter', before: 'tags', after: 'tags' }]);
    expect(changesBetween(filtered(['a']) as StoredAccount, withOne)).toEqual([
      { object: 'campaign', field: 'filter', before: 'tags', after: null },
    ]);
  });

  it('of a new or removed object have no text on one side', () => {
    const added = addToken(account, token) as StoredAccount;
    expect(changesBetween(account, added)).toEqual([
      { object: 't', field: 'label', before: null, after: 'ci' },
      { object: 't', field: 'access', before: null, after: 'read' },
    ]);
    expect(changesBetween(added, removeToken(added, 't') as StoredAccount)).toEqual([
      { object: 't', field: 'label', before: 'ci', after: null },
      { object: 't', field: 'access', before: 'read', after: null },
    ]);
    expect(changesBetween(undefined, account)).toEqual([{ field: 'name', before: null, after: 'Acme' }]);
    const gone = removeDestination(withOne, 'campaign-acc') as StoredAccount;
    expect(changesBetween(withOne, gone)).toContainEqual({
      object: 'campaign',
      field: 'address',
      before: 'https://a.example.com/',
      after: null,
    });
  });

  it('show no secret, and say that a value which is never shown has changed', () => {
    const signed = addSecret(withOne, {
      id: 's',
      secret: 'whsec_verysecret',
      createdAt: AT,
      endsAt: null,
    }) as StoredAccount;
    const other = editDestination(signed, 'campaign-acc', { headers: { authorization: 'Bearer other' } });
    const changes = changesBetween(withOne, other as StoredAccount);
    expect(changes).toEqual([
      { object: 's', field: 'signsFor', before: null, after: '*' },
      { object: 'campaign', field: 'headers', before: 'authorization', after: 'authorization' },
    ]);
    expect(JSON.stringify(changesBetween(undefined, other as StoredAccount))).not.toMatch(/verysecret|Bearer|hash/);
  });

  it('are none for the same account, and have bounds', () => {
    expect(changesBetween(withOne, { ...withOne, version: 7 })).toEqual([]);
    const many = Array.from({ length: 100 }, (_, i) => ({ ...token, id: `t${i}`, label: 'x'.repeat(500) }));
    const changes = changesBetween(account, { ...account, tokens: many });
    expect(changes).toHaveLength(30);
    expect(changes[0]?.after).toHaveLength(200);
  });

  it('show the origin of a webhook for alerts', () => {
    const common = { id: 'w', createdAt: AT, language: 'en' as const, kinds: [], muted: [] };
    const after = { ...account, alertWebhooks: [{ ...common, address: 'https://chat.example.com/secret' }] };
    expect(changesBetween(account, after)).toContainEqual({
      object: 'w',
      field: 'address',
      before: null,
      after: 'https://chat.example.com',
    });
  });

  it('show no whole address of a person', () => {
    const common = { id: 'a', createdAt: AT, kinds: ['failing' as const], muted: [] };
    const address = { ...common, email: 'anna@example.com', confirmed: true, token: 'x' };
    const after = { ...account, alertAddresses: [{ ...address, language: 'en' as const }] };
    expect(changesBetween(account, after)).toContainEqual({
      object: 'a',
      field: 'email',
      before: null,
      after: 'a***@example.com',
    });
  });
});
