import { CAMPAIGN_FIELDS, EVENT_TYPES, isVersion1, NOTIFICATION_FIELDS, typesOf } from './event-types.ts';
import type { EventModule } from './event-types.ts';
import { exampleCampaignEvent, exampleEvent, validateEvent } from './producer-event.ts';
import { namesOf } from './tables.ts';

const MODULES = ['transactional_email', 'campaign'] as const satisfies readonly EventModule[];
const ALL = MODULES.flatMap((module) => typesOf(module).map((name) => [module, name] as const));
const exampleOf = (module: EventModule, name: (typeof ALL)[number][1]): object =>
  module === 'campaign' ? exampleCampaignEvent(name as never) : exampleEvent(name);

describe('the table of event types', () => {
  test.each(namesOf(EVENT_TYPES))('names only own fields of %s', (name) => {
    const { fields, required, requiredInTransactional, version1, example }: Declared = EVENT_TYPES[name];
    const named = [...required, ...(requiredInTransactional ?? []), ...Object.values(version1 ?? {}).flat()];
    expect(named.filter((field) => !(field in fields))).toEqual([]);
    expect(Object.keys(example)).toEqual(Object.keys(fields).filter((field) => field in example));
  });

  test('has version 1 as the specification has it', () => {
    const fieldsOf = (types: object) =>
      Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, Object.keys(fields as object)]));
    expect(fieldsOf(NOTIFICATION_FIELDS)).toEqual({
      bounce: ['type', 'reason'],
      open: ['ip'],
      click: ['ip', 'userAgent', 'url'],
    });
    expect(fieldsOf(CAMPAIGN_FIELDS)).toEqual({ open: [], click: ['url'], unsubscribe: [] });
    expect(ALL.filter(([module, name]) => isVersion1(module, name))).toHaveLength(6);
  });

  test.each(ALL)('has an example of %s %s that is accepted, alone and with every field', (module, name) => {
    const least = exampleOf(module, name);
    expect(validateEvent(least)).toEqual({ value: least });
    const more = {
      email: 'anna@example.com',
      messageId: 'm',
      metadata: { order: '4711' },
      tags: ['receipt'],
      id: 'e1',
    };
    const full = { ...least, ...more, ...EVENT_TYPES[name].example };
    expect(validateEvent(full)).toEqual({ value: full });
  });

  test('lets what a person wants overtake, in both modules', () => {
    const overtaking = namesOf(EVENT_TYPES).filter((name) => EVENT_TYPES[name].lane === 'u');
    expect(overtaking.join(' ')).toBe('complaint unsubscribe subscribe suppression');
  });
});

interface Declared {
  readonly fields: object;
  readonly required: readonly string[];
  readonly requiredInTransactional?: readonly string[];
  readonly version1?: Readonly<Record<string, readonly string[]>>;
  readonly example: object;
}
