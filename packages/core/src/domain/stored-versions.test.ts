import {
  addDestination,
  datedVersions,
  editDestination,
  newAccount,
  overtakeRecords,
  setCampaign,
  version1Settings,
} from './stored-account.ts';
import type { StoredAccount } from './stored-account.ts';

const NOW_MS = 1_795_627_000_000;
const empty = newAccount({ id: 'acc', name: 'Acme', createdAt: '2026-11-23T10:00:00.000Z' });
const address = 'https://example.com/';
const settings = version1Settings('transactional_email', { address, types: ['open'] });
const subscribed = (id: string, from: StoredAccount): StoredAccount =>
  addDestination(from, { id, module: 'transactional_email', settings, headers: {} }) as StoredAccount;
const versions = ({ destinations }: StoredAccount) => destinations.map(({ version }) => version);

describe('the versions of destinations', () => {
  const account = datedVersions(empty, subscribed('b', subscribed('a', empty)), NOW_MS);

  it('are the time of their change, and those of others stay', () => {
    expect(versions(account)).toEqual([NOW_MS, NOW_MS]);
    const edited = editDestination(account, 'b', { settings: { active: false } }) as StoredAccount;
    expect(versions(datedVersions(account, edited, NOW_MS + 7))).toEqual([NOW_MS, NOW_MS + 7]);
    const set = setCampaign(account, { address, active: true }) as StoredAccount;
    expect(versions(datedVersions(account, set, NOW_MS + 7))).toEqual([NOW_MS, NOW_MS, NOW_MS + 7]);
  });

  it('grow even while the clock does not', () => {
    const edited = editDestination(account, 'a', {}) as StoredAccount;
    for (const nowMs of [NOW_MS, NOW_MS - 3_600_000])
      expect(versions(datedVersions(account, edited, nowMs))).toEqual([NOW_MS + 1, NOW_MS]);
  });

  it('overtake the records that ask for a newer one, and no others', () => {
    const wanted = new Map([
      ['a', NOW_MS + 5],
      ['b', NOW_MS],
      ['unknown', NOW_MS + 9],
    ]);
    expect(versions(overtakeRecords(account, wanted))).toEqual([NOW_MS + 6, NOW_MS]);
    expect(overtakeRecords(account, new Map([['a', NOW_MS]]))).toBe(account);
  });
});
