import { startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';
import { adminEndpoints } from './admin/index.ts';
import { cursorsOf } from './cursor.ts';
import { customerEndpoints } from './customer/index.ts';

const withCursor = <One extends { readonly query: { readonly shape: object } | undefined }>(all: readonly One[]) =>
  all.filter(({ query }) => query !== undefined && 'cursor' in query.shape);
const lists = [
  ...withCursor(customerEndpoints).map((one) => ({ ...one, isAdmin: false })),
  ...withCursor(adminEndpoints).map((one) => ({ ...one, isAdmin: true })),
].map(({ operationId, path, query, isAdmin }) => ({ operationId, path, query, isAdmin }));

let api: ApiRig;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi();
  account = await api.newAccount();
});
afterAll(() => api.close());

test('there are lists with cursors in both APIs', () => {
  expect(new Set(lists.map(({ isAdmin }) => isAdmin)).size).toBe(2);
});

describe.each(lists)('$operationId', ({ operationId, path, query, isAdmin }) => {
  const own = () => (isAdmin ? '' : account.id);
  const place = '2026-01-02T03:04:05.678Z~abc';
  /** Lists whose other fields are required get the first of their values. */
  const others = (): string => {
    const state = (query?.shape as { readonly state?: { readonly options?: readonly string[] } }).state;
    return state?.options === undefined ? '' : `&state=${state.options[0] ?? ''}`;
  };
  const ask = (cursor: string) => {
    const target = `${path}?limit=1&cursor=${encodeURIComponent(cursor)}${others()}`;
    return isAdmin ? api.admin('get', target) : api.as(account.token)('get', target);
  };

  test.each([
    ['an invented one', () => 'abc'],
    ['a place without its check sum', () => place],
    ['a cut one', () => cursorsOf(operationId, own()).write(place).slice(0, -1)],
    ['one with a longer end', () => `${cursorsOf(operationId, own()).write(place)}A`],
    ['one with another place', () => cursorsOf(operationId, own()).write(place).replace('05.678', '05.679')],
    ['one of another list', () => cursorsOf('another', own()).write(place)],
    ['one of another account', () => cursorsOf(operationId, 'acc_other').write(place)],
  ])('refuses %s with 422', async (_what, cursor) => {
    const reply = await ask(cursor());
    expect([reply.status, reply.body]).toEqual([
      422,
      expect.objectContaining({
        errors: [{ path: 'cursor', message: expect.stringMatching(/^must be the nextCursor of this list/) as string }],
      }),
    ]);
  });

  test('takes its own', async () => {
    expect((await ask(cursorsOf(operationId, own()).write(place))).status).toBe(200);
  });
});
