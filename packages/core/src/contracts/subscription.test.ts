import { activeFlag, subscription, subscriptionEdit, subscriptionInput } from './subscription.ts';
import { fieldErrors, validate } from './validate.ts';

const ADDRESS = 'https://example.com/hook';
const INPUT = { address: ADDRESS, type: 'open', module: 'transactional_email' };
const paths = (result: { error?: { issues: readonly { path: readonly PropertyKey[] }[] } | undefined }) =>
  (result.error?.issues ?? []).map((issue) => issue.path.join('.'));

describe('activeFlag', () => {
  it.each([true, 1, '1', 'true'])('reads %j as on', (value) => {
    expect(activeFlag.parse(value)).toBe(true);
  });

  it.each([false, 0, '0', 'false', -0])('reads %j as off', (value) => {
    expect(activeFlag.parse(value)).toBe(false);
  });

  it.each(['perhaps', '', 2, -1, null, undefined, 'TRUE', 'yes', [], {}, [true]])('refuses %j', (value) => {
    expect(activeFlag.safeParse(value).error?.issues[0]?.message).toMatch(/^must be true or false/);
  });
});

describe('subscriptionInput', () => {
  it('accepts the three fields and strips the rest', () => {
    expect(subscriptionInput.parse({ ...INPUT, active: false, id: 'x' })).toEqual(INPUT);
  });

  it.each(['address', 'type', 'module'])('requires %s', (field) => {
    const result = validate(subscriptionInput, { ...INPUT, [field]: undefined });
    expect('errors' in result && fieldErrors(result.errors)).toEqual([
      { path: field, message: expect.stringMatching(/^is required/) as string },
    ]);
  });

  it.each([
    ['address', 'nowhere'],
    ['type', 'unsubscribe'],
    ['type', 'OPEN'],
    ['module', 'campaign'],
  ])('refuses %s %j', (field, value) => {
    expect(paths(subscriptionInput.safeParse({ ...INPUT, [field]: value }))).toEqual([field]);
  });

  it('says where the other types are', () => {
    expect(subscriptionInput.safeParse({ ...INPUT, type: 'subscribe' }).error?.issues[0]?.message).toBe(
      'must be one of open, click, bounce: /v3/webhook/destinations has the other types',
    );
  });
});

describe('subscriptionEdit', () => {
  it('requires only `module`', () => {
    expect(subscriptionEdit.parse({ module: 'transactional_email' })).toEqual({ module: 'transactional_email' });
    expect(paths(subscriptionEdit.safeParse({ active: 0 }))).toEqual(['module']);
  });

  it('reads every field it gets', () => {
    expect(subscriptionEdit.parse({ ...INPUT, type: 'bounce', active: 0 })).toEqual({
      ...INPUT,
      type: 'bounce',
      active: false,
    });
  });

  it.each([
    ['address', 'nowhere'],
    ['address', null],
    ['active', 'perhaps'],
    ['type', 'opened'],
  ])('refuses %s %j', (field, value) => {
    expect(paths(subscriptionEdit.safeParse({ module: 'transactional_email', [field]: value }))).toEqual([field]);
  });
});

describe('subscription', () => {
  it('has exactly the five documented keys', () => {
    const stored = { id: 'abc', ...INPUT, active: true, account: 'acc', version: 3 };
    expect(Object.keys(subscription.parse(stored)).sort()).toEqual(['active', 'address', 'id', 'module', 'type']);
  });
});
