import { setTimeout as wait } from 'node:timers/promises';
import { aCampaignEvent, eventually } from '@mailhook/testing';
import type { LogLine } from '@mailhook/testing';
import { TABS, NAVIGATION, endpointUrl, pathOf } from '../../packages/console/src/settings/navigation.ts';
import {
  ACCOUNT_TABS,
  DESTINATION_FILTERS,
  NAVIGATION as OPERATOR_NAVIGATION,
  TOKEN_TABS,
  pageUrl,
} from '../../packages/console/src/operations/navigation.ts';
import { adminEndpoints } from '../../services/api/src/endpoints/admin/index.ts';
import { customerEndpoints } from '../../services/api/src/endpoints/customer/index.ts';
import { newCustomer } from '../end-to-end/rig/customer.ts';
import type { Customer } from '../end-to-end/rig/customer.ts';
import { startStack } from './rig/stack.ts';
import type { Stack } from './rig/stack.ts';

const ROUNDS = 3;
/** Each has an account of its own, because many pages of one account wait for each other. */
const BURSTS = 4;
/** The commands that a page needs in turn each have 2 s. */
const DEADLINE_MS = 15_000;

interface Question {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Reply {
  readonly what: string;
  /** 0 without a reply. */
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function ask({ url, method, headers, body }: Question): Promise<Reply> {
  const what = `${method} ${new URL(url).pathname}${new URL(url).search}`;
  try {
    const reply = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
      ...(body === undefined ? {} : { body }),
    });
    return { what, status: reply.status, type: reply.headers.get('content-type') ?? '', text: await reply.text() };
  } catch (error) {
    return { what, status: 0, type: String((error as Error).cause ?? error), text: '' };
  }
}

/** Without Redis, a reply is a 503, a page with the banner, a refusal of the request itself, or one from memory. */
function saysSo({ what, status, type, text }: Reply): boolean {
  if (status === 503) return /problem\+json|html/.test(type);
  if (status === 200 && what.includes('/settings/webhooks')) return text.includes('These figures cannot be read');
  return [200, 404, 409, 422].includes(status);
}

const json = (authorization: string) => ({ authorization, 'content-type': 'application/json;charset=UTF-8' });

/** A call of each endpoint, with the ids of this account. Reads ask about one account, changes are made to another. */
function callsOf(
  base: string,
  endpoints: readonly {
    readonly method: string;
    readonly path: string;
    readonly body: { readonly example: unknown } | undefined;
  }[],
  idsOf: (method: string) => { readonly token: string; readonly id: (name: string, path: string) => string },
): Question[] {
  return endpoints.map(({ method, path, body }) => {
    const { token, id } = idsOf(method);
    return {
      url: `${base}${path.replaceAll(/:(\w+)/g, (_, name: string) => id(name, path))}`,
      method: method.toUpperCase(),
      headers: json(`Bearer ${token}`),
      ...(body === undefined ? {} : { body: JSON.stringify(body.example) }),
    };
  });
}

/** Where a customer reads. */
interface Home extends Customer {
  readonly subscription: string;
}

async function newHome(stack: Stack): Promise<Home> {
  const customer = await newCustomer(stack);
  const subscription = await customer.subscribe('open', 'http://127.0.0.1:9/open');
  await customer.setCampaign('http://127.0.0.1:9/campaign');
  return { ...customer, subscription };
}

async function cookieOf(stack: Stack, token: string): Promise<string> {
  const reply = await fetch(`${stack.baseUrl}/settings/webhooks/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  });
  return (reply.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
}

/** Every call that the APIs declare, and every page that the navigations name. */
function questionsOf(stack: Stack, home: Home, victim: Home, cookie: string): readonly Question[] {
  const idsOf = (method: string) => {
    const { account, subscription, token } = method === 'get' ? home : victim;
    const id = (name: string, path: string): string =>
      name === 'account' || path.startsWith('/admin/accounts/:id') ? account : subscription;
    return { token, id };
  };
  const calls = [
    ...callsOf(stack.baseUrl, customerEndpoints, idsOf),
    ...callsOf(stack.opsUrl, adminEndpoints, (method) => ({ ...idsOf(method), token: stack.adminToken })),
    {
      url: `${stack.baseUrl}/v3/events`,
      method: 'POST',
      headers: json(`Bearer ${stack.producerToken}`),
      body: JSON.stringify([]),
    },
  ];
  const names = NAVIGATION.map(([name]) => name);
  const ids = ['campaign', home.subscription];
  const pages = [
    ...names.flatMap((name) => [pathOf(name), `${pathOf(name)}/news`]),
    ...ids.flatMap((id) => [...TABS.map(([tab]) => endpointUrl(id, tab)), `${pathOf('endpoints')}/${id}/news`]),
    `${pathOf('dead-letters')}.csv`,
    `${pathOf('deliveries')}?attempt=1-0`,
    `${pathOf('deliveries')}/body?attempt=1-0`,
    `${pathOf('events')}?event=msg_1`,
    `${pathOf('dead-letters')}?letter=${home.subscription}`,
  ];
  const operators = [
    ...OPERATOR_NAVIGATION.map(([name]) => pageUrl(name)),
    ...ACCOUNT_TABS.map(([tab]) => pageUrl('accounts', home.account, { tab })),
    ...DESTINATION_FILTERS.map(([state]) => pageUrl('destinations', '', { state })),
    ...TOKEN_TABS.map(([tab]) => pageUrl('tokens', '', { tab })),
    pageUrl('destinations', home.subscription),
    pageUrl('accounts', '', { find: home.account }),
  ];
  const basic = `Basic ${Buffer.from(`admin:${stack.adminToken}`).toString('base64')}`;
  return [
    ...calls,
    ...pages.map((path) => ({
      url: `${stack.baseUrl}${path}`,
      method: 'GET',
      headers: { cookie, accept: 'text/html' },
    })),
    ...operators.map((path) => ({
      url: `${stack.opsUrl}${path}`,
      method: 'GET',
      headers: { authorization: basic, accept: 'text/html' },
    })),
  ];
}

describe('Redis stops answering under every call and every page', () => {
  const rejections: LogLine[] = [];
  let stack: Stack;
  const homes: Home[] = [];
  beforeAll(async () => {
    stack = await startStack({
      workers: { 'transactional-notifier': 0, 'campaign-batcher': 0 },
      appendfsync: 'everysec',
      onLine: (_name, line) => {
        if (line.message === 'nobody handled a rejection') rejections.push(line);
      },
    });
    for (let i = 0; i < BURSTS; i += 1) homes.push(await newHome(stack));
  }, 120_000);
  afterAll(() => stack.close());

  test.each(Array.from({ length: ROUNDS }, (_, i) => [i + 1]))(
    'round %d: the api lives, each reply comes in time and says so, and all works again afterwards',
    async () => {
      const victim = await newHome(stack);
      const questionsOfBurst = await Promise.all(
        homes.map(async (home) => questionsOf(stack, home, victim, await cookieOf(stack, home.token))),
      );
      const reads = (questionsOfBurst[0] ?? []).filter(({ method }) => method === 'GET');
      const before = await Promise.all(reads.map(ask));
      expect(before.filter(({ status }) => status === 0 || status >= 500)).toEqual([]);
      const works = async (question: Question): Promise<boolean> => (await ask(question)).status < 500;
      const replies: Promise<Reply>[] = [];
      process.kill(stack.redis.pid, 'SIGSTOP');
      try {
        // The first requests wait for replies of Redis, and the later ones find the connection broken.
        for (const questions of questionsOfBurst) {
          replies.push(...questions.map(ask));
          await wait(900);
        }
        expect((await Promise.all(replies)).filter((reply) => !saysSo(reply))).toEqual([]);
        replies.length = 0;
        replies.push(...(questionsOfBurst[1] ?? []).map(ask));
      } finally {
        process.kill(stack.redis.pid, 'SIGCONT');
      }
      replies.push(...(questionsOfBurst[2] ?? []).map(ask));
      // A producer that sends now does not see the connection that is replaced.
      await homes[0]?.send([aCampaignEvent()]);
      const thawing = await Promise.all(replies);
      expect(thawing.filter(({ status }) => status === 0 || status === 500)).toEqual([]);
      await eventually(async () => (await Promise.all(reads.map(works))).every(Boolean), {
        withinMs: 30_000,
        what: 'every page and every read again',
      });
      expect(rejections).toEqual([]);
      expect(stack.endedThemselves).toEqual([]);
    },
    180_000,
  );
});
