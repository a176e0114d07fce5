import type { Redis } from 'ioredis';
import request from 'supertest';
import { startApi } from './api-rig.suite.ts';
import type { ApiRig, TestAccount } from './api-rig.suite.ts';

export const PAGE = '/settings/webhooks';

/** A browser without script. It keeps its cookie and sends forms. */
export async function browserOf(api: ApiRig, token: string) {
  const signedIn = await request(api.baseUrl).post(`${PAGE}/sign-in`).type('form').send({ token });
  const setCookie = String(signedIn.headers['set-cookie']);
  const cookie = setCookie.split(';')[0] ?? '';
  return {
    signedIn,
    setCookie,
    cookie,
    get: (path = PAGE) => request(api.baseUrl).get(path).set('cookie', cookie),
    send: (form: Record<string, string>, headers: Record<string, string> = {}, path = PAGE) =>
      request(api.baseUrl).post(path).set('cookie', cookie).set(headers).type('form').send(form),
    signOut: () => request(api.baseUrl).post(`${PAGE}/sign-out`).set('cookie', cookie),
  };
}

/** Lets all sessions be older. */
export async function ageSessions(redis: Redis, prefix: string, byMs: number): Promise<void> {
  for (const key of await redis.keys(`${prefix}:settings-sessions:*`)) {
    const record = JSON.parse((await redis.get(key)) ?? '{}') as { startedMs: number };
    await redis.set(key, JSON.stringify({ ...record, startedMs: record.startedMs - byMs }), 'KEEPTTL');
  }
}

/** The text of a page, without tags. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<\/?bdi>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');

/** Starts one api for the calling `describe` block, and creates a new account, Acme & Söhne, for each test. */
export function settingsPageRig() {
  let api: ApiRig;
  let mine: TestAccount;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    mine = await api.newAccount('Acme & Söhne');
  });
  return {
    get api(): ApiRig {
      return api;
    },
    get mine(): TestAccount {
      return mine;
    },
  };
}
