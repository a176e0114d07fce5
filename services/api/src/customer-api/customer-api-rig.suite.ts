import { MODULE, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

export const SUBSCRIPTIONS = '/v3/webhook/subscriptions';
/** A valid subscription. */
export const fine = { address: 'https://example.com/hook?a=1&b=%20x', type: 'open', module: MODULE };

interface ProblemReply {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** Expects a complete RFC 9457 answer with this status and code. */
export function expectProblem(reply: ProblemReply, status: number, code?: string): void {
  expect([reply.status, reply.headers['content-type']]).toEqual([status, 'application/problem+json']);
  expect(reply.body).toMatchObject({ status, type: expect.any(String) as string, title: expect.any(String) as string });
  if (code !== undefined) expect(reply.body).toMatchObject({ code });
}

/** The fields that a refusal names. */
export const pathsOf = (reply: ProblemReply): string[] =>
  ((reply.body as { errors?: { path: string }[] }).errors ?? []).map(({ path }) => path);

/**
 * Starts one api for the calling `describe` block, and creates a new account for each test. `call` sends that account's
 * token.
 */
export function publicApiRig() {
  let api: ApiRig;
  let mine: TestAccount;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    mine = await api.newAccount();
  });
  return {
    get api(): ApiRig {
      return api;
    },
    get mine(): TestAccount {
      return mine;
    },
    get call(): ReturnType<ApiRig['as']> {
      return api.as(mine.token);
    },
  };
}
