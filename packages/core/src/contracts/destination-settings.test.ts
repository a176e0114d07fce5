import {
  CUSTOM_HEADERS_MAX,
  destinationInput,
  destinationSettings,
  destinationSettingsInput,
  LIMITS,
} from './destination-settings.ts';
import { namesOf } from './tables.ts';
import { defaultSettings } from '../domain/stored-account.ts';

const faults = (headers: unknown): string[] =>
  (destinationSettingsInput.safeParse({ headers }).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')} ${message}`,
  );

describe('destinationSettingsInput', () => {
  it('takes up to ten headers, and true for a stored value', () => {
    const headers = { Authorization: 'Bearer a b', 'X-Team': true, 'x-one': '!' };
    expect(destinationSettingsInput.parse({ headers })).toEqual({
      headers: { authorization: 'Bearer a b', 'x-team': true, 'x-one': '!' },
    });
    expect(destinationSettingsInput.parse({})).toEqual({});
  });

  it.each([
    ['host', 'x'],
    ['Content-Type', 'x'],
    ['webhook-id', 'x'],
    ['x-forwarded-for', 'x'],
    ['connection', 'x'],
    ['user-agent', 'x'],
    ['traceparent', 'x'],
    ['a b', 'x'],
    ['', 'x'],
    ['x'.repeat(101), 'x'],
    ['x-a', ''],
    ['x-a', ' x'],
    ['x-a', 'x\r\ny: z'],
    ['x-a', 'ä'],
    ['x-a', 'x'.repeat(4097)],
    ['x-a', false],
  ])('refuses the header %j with the value %j, and names it', (name, value) => {
    expect(faults({ [name]: value })).toEqual([expect.stringMatching(`^headers.${name.toLowerCase()} `)]);
  });

  it('refuses too many headers, and too many characters', () => {
    const many = Object.fromEntries(Array.from({ length: CUSTOM_HEADERS_MAX + 1 }, (_, i) => [`x-${i}`, 'v']));
    expect(faults(many)).toEqual(['headers must have at most 10 headers']);
    const long = { 'x-1': 'v'.repeat(4000), 'x-2': 'v'.repeat(4000), 'x-3': 'v'.repeat(300) };
    expect(faults(long)).toEqual(['headers must have at most 8192 characters in all']);
  });

  it('takes what the answer shows', () => {
    const settings = defaultSettings('campaign', { address: 'https://example.com/', types: ['*'] });
    const shown = destinationSettings.parse({ module: 'campaign', headers: { authorization: true }, ...settings });
    expect(destinationSettingsInput.parse(shown)).toEqual(shown);
  });

  describe.each(namesOf(LIMITS))('%s', (name) => {
    it.each([0, LIMITS[name].max + 1, 1.5, '5'])('cannot be %j', (limit) => {
      expect(destinationSettingsInput.safeParse({ [name]: limit }).success).toBe(false);
    });

    it.each([1, LIMITS[name].max, null])('can be %j', (limit) => {
      expect(destinationSettingsInput.parse({ [name]: limit })).toEqual({ [name]: limit });
    });
  });

  it.each([{}, [], null])('takes %j for no filter', (filter) => {
    expect(destinationSettingsInput.parse({ filter })).toEqual({ filter: null });
  });

  it.each<[string, string]>([
    ['{"metadata":{"__proto__":"x","a":"y"}}', 'filter.metadata.__proto__'],
    ['{"metadata":{"a b":"x"}}', 'filter.metadata.a b'],
    ['{"metadata":{"a":"\\ud800"}}', 'filter.metadata.a'],
    ['{"metadata":{"a":null}}', 'filter.metadata.a'],
    ['{"metadata":[]}', 'filter.metadata'],
    ['{"tags":[]}', 'filter.tags'],
    ['{"domains":["example.com","@"]}', 'filter.domains.1'],
  ])('refuses the filter %s at its place', (filter, place) => {
    const { error } = destinationSettingsInput.safeParse({ filter: JSON.parse(filter) as unknown });
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([place]);
  });

  it.each(['', ' \n ', null])('takes the name %j for none', (name) => {
    expect(destinationSettingsInput.parse({ name })).toEqual({ name: null });
  });

  it('refuses what it does not know, and names it', () => {
    for (const schema of [destinationSettingsInput, destinationInput])
      expect(schema.safeParse({ filtre: {} }).error?.issues).toContainEqual(
        expect.objectContaining({ code: 'unrecognized_keys', keys: ['filtre'] }),
      );
  });
});
