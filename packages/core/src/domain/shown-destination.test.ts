import {
  addDestination,
  defaultSettings,
  editDestination,
  newAccount,
  removeDestination,
  setCampaign,
  switchOff,
  version1Settings,
} from './stored-account.ts';
import type { StoredAccount, StoredSettings } from './stored-account.ts';
import { campaignOf, shownDestinations, subscriptionOf } from './shown-destination.ts';

const NOW = '2026-11-23T10:00:00.000Z';
const address = 'https://example.com/';
const MODULE = 'transactional_email';
const settings = version1Settings(MODULE, { address, types: ['open'] });
const account = addDestination(newAccount({ id: 'acc', name: 'Acme', createdAt: NOW }), {
  id: 'a',
  module: MODULE,
  settings,
  headers: { authorization: 'secret' },
}) as StoredAccount;
const set = setCampaign(account, { address, active: true }) as StoredAccount;

test('the campaign webhook comes first, and values of headers are not shown', () => {
  expect(shownDestinations(set).map(({ id }) => id)).toEqual(['campaign', 'a']);
  const [, one] = shownDestinations(set);
  expect(one).toEqual({ id: 'a', module: MODULE, ...settings, headers: { authorization: true } });
  const without = removeDestination(set, 'campaign-acc') as StoredAccount;
  expect(shownDestinations(without).map(({ id }) => id)).toEqual(['a']);
});

test('the campaign webhook is shown as the setting of the specification', () => {
  expect(campaignOf(shownDestinations(account))).toEqual({ address: null, active: false });
  expect(campaignOf(shownDestinations(set))).toEqual({ address, active: true });
  const off = switchOff(set, { id: 'campaign-acc', version: 1, reason: 'gone', at: NOW }) as StoredAccount;
  const { inactiveReason, ...setting } = campaignOf(shownDestinations(off));
  expect([setting, String(inactiveReason)]).toEqual([{ address, active: false }, 'gone']);
  expect(shownDestinations(off)[0]?.goneAt).toBe(NOW);
});

describe('a destination is a subscription of the specification', () => {
  const as = (change: Partial<StoredSettings>) => {
    const [one] = shownDestinations(editDestination(account, 'a', { settings: change }) as StoredAccount);
    return one && subscriptionOf(one);
  };

  it('with exactly its five keys, for every body and filter', () => {
    const subscription = { id: 'a', address, active: true, type: 'open', module: MODULE };
    expect(as({ version: 2, name: 'CRM', filter: { tags: ['a'] } })).toEqual(subscription);
  });

  it.each<Partial<StoredSettings>>([
    { types: ['open', 'click'] },
    { types: ['sent'] },
    { types: ['*'] },
    { shape: 'array' },
  ])('unless %j', (change) => {
    expect(as(change)).toBeUndefined();
  });

  it('and of its module', () => {
    const [campaign] = shownDestinations(set);
    expect(campaign && subscriptionOf({ ...campaign, types: ['open'], shape: 'single' })).toBeUndefined();
    expect(defaultSettings('campaign', { address, types: ['open'] })).toMatchObject({ version: 2, shape: 'batch' });
  });
});
