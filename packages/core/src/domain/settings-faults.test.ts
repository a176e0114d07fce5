import { EVENT_TYPES } from '../contracts/event-types.ts';
import type { EventModule } from '../contracts/event-types.ts';
import { namesOf } from '../contracts/tables.ts';
import { settingsFaults, typesIn } from './settings-faults.ts';
import { defaultSettings } from './stored-account.ts';
import type { StoredSettings } from './stored-account.ts';

const faults = (module: EventModule, given: Partial<StoredSettings>) =>
  settingsFaults(module, {
    ...defaultSettings(module, { address: 'https://example.com/', types: ['open'] }),
    ...given,
  }).map(({ path }) => path);

test.each<[EventModule, Partial<StoredSettings>]>([
  ['campaign', { types: ['*'] }],
  ['campaign', { types: ['open', 'click'], version: 1 }],
  ['transactional_email', { types: ['bounce'], version: 1 }],
  ['transactional_email', { types: ['suppression', 'custom'], shape: 'array', concurrency: 4 }],
  ['transactional_email', { concurrency: 16, filter: { tags: ['a'] } }],
  ['campaign', { filter: { campaigns: ['aBcDeFgHiJ'] } }],
])('%s takes %j', (module, given) => {
  expect(faults(module, given)).toEqual([]);
});

test.each<[EventModule, Partial<StoredSettings>, readonly string[]]>([
  ['campaign', { types: ['*', 'open'] }, ['types']],
  ['campaign', { types: ['*'], version: 1 }, ['types']],
  ['campaign', { types: ['open', 'suppression'] }, ['types.1']],
  ['campaign', { types: ['open', 'open'] }, ['types.1']],
  ['campaign', { types: ['open', 'bounce'], version: 1 }, ['types.1']],
  ['campaign', { version: 1, shape: 'single' }, ['shape']],
  ['transactional_email', { version: 1, shape: 'array' }, ['shape']],
  ['transactional_email', { shape: 'array', concurrency: 5 }, ['concurrency']],
  ['transactional_email', { filter: { campaigns: ['aBcDeFgHiJ'] } }, ['filter.campaigns']],
])('%s refuses %j at %j', (module, given, paths) => {
  expect(faults(module, given)).toEqual(paths);
});

test('the types of a list are its own, and those of * all of the module', () => {
  expect(typesIn('campaign', ['open', 'click'])).toEqual(['open', 'click']);
  expect(typesIn('campaign', ['*'])).not.toContain('suppression');
  expect(typesIn('transactional_email', ['*'])).toEqual(namesOf(EVENT_TYPES));
});
