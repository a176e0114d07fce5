import { checkRedisSettings, closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { RedisFinding } from '@mailhook/platform/redis';
import { readScrape } from '../monitoring/scrape.ts';
import type { Series } from '../monitoring/scrape.ts';
import { messageOf } from '../user-error.ts';

/** Where to look. */
export interface Targets {
  /** Operations ports: the api's first, then those of workers. */
  readonly opsUrls: readonly string[];
  readonly publicUrl: string;
  readonly redisUrl: string | undefined;
  readonly adminToken: string | undefined;
  readonly producerToken: string | undefined;
}

/** What one operations port answers. */
export interface ServiceFacts {
  readonly url: string;
  /** Why it could not be asked at all. */
  readonly fault: string | undefined;
  /** Why it is not ready. */
  readonly notReady: readonly string[];
  readonly series: readonly Series[];
}

/** What an installation answers, before anybody judges it. */
export interface Facts {
  readonly targets: Targets;
  /** As many as `opsUrls`. */
  readonly services: readonly ServiceFacts[];
  /** Tokens that anybody would try, and that the api knows. */
  readonly guessedTokens: readonly string[];
  /** Status of the list of accounts, which needs the store; undefined without an admin token. */
  readonly accountsStatus: number | undefined;
  readonly publicPort: {
    readonly fault: string | undefined;
    /** Status without a token. */
    readonly unsignedStatus: number | undefined;
    /** The address that the API's documentation names: `PUBLIC_URL`. */
    readonly documentedUrl: string | undefined;
    /** Paths of the operations port that are served here too. */
    readonly leaks: readonly string[];
  };
  /** Findings of Redis itself; undefined without `--redis-url`. */
  readonly redisFindings: readonly RedisFinding[] | undefined;
}

const WITHIN_MS = 5000;
/** Shorter tokens stop the start of the api. */
const TOKEN_CHARS_MIN = 24;
/** Common words, repeated up to the length of a token. They are few, because failed sign-ins are limited. */
const GUESSES = [
  'admin',
  'changeme',
  'secret',
  'password',
  'token',
  'test',
  'mailhook',
  'a',
  'x',
  '0',
  '1234567890',
].map((word) => word.repeat(Math.ceil(TOKEN_CHARS_MIN / word.length)));
const KNOWN_TOKEN = new Set([200, 403]);
const OPERATIONS_PATHS = ['/metrics', '/healthz', '/admin/accounts', '/admin/queues'];

/** Asks everybody. Never rejects: what does not answer is a fact. */
export async function gatherFacts(targets: Targets): Promise<Facts> {
  const [opsUrl = ''] = targets.opsUrls;
  const [services, publicPort, redisFindings] = await Promise.all([
    Promise.all(targets.opsUrls.map(askService)),
    askPublicPort(targets.publicUrl),
    targets.redisUrl === undefined ? undefined : askRedis(targets.redisUrl),
  ]);
  const guessedTokens: string[] = [];
  for (const guess of GUESSES) {
    // 403: it is the producer token.
    if (KNOWN_TOKEN.has((await listAccounts(opsUrl, guess)) ?? 0)) guessedTokens.push(guess);
  }
  const { adminToken } = targets;
  const accountsStatus = adminToken === undefined ? undefined : await listAccounts(opsUrl, adminToken);
  return { targets, services, guessedTokens, accountsStatus, publicPort, redisFindings };
}

const ask = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(WITHIN_MS) });

async function askService(url: string): Promise<ServiceFacts> {
  try {
    const ready = await ask(new URL('/readyz', url).href);
    const { reasons = [] } = (await ready.json()) as { reasons?: string[] };
    const metrics = await ask(new URL('/metrics', url).href);
    if (!metrics.ok) throw new Error(`/metrics answers ${metrics.status}`);
    return { url, fault: undefined, notReady: reasons, series: readScrape(await metrics.text()) };
  } catch (error) {
    return { url, fault: reasonOf(error), notReady: [], series: [] };
  }
}

async function askPublicPort(url: string): Promise<Facts['publicPort']> {
  try {
    const unsigned = await ask(new URL('/v3/webhook/subscriptions', url).href);
    const leaks: string[] = [];
    for (const path of OPERATIONS_PATHS) {
      const { status } = await ask(new URL(path, url).href);
      if (status !== 404) leaks.push(path);
    }
    const documentedUrl = await readDocumentedUrl(url);
    return { fault: undefined, unsignedStatus: unsigned.status, documentedUrl, leaks };
  } catch (error) {
    return { fault: reasonOf(error), unsignedStatus: undefined, documentedUrl: undefined, leaks: [] };
  }
}

async function readDocumentedUrl(url: string): Promise<string | undefined> {
  const reply = await ask(new URL('/openapi.json', url).href);
  if (!reply.ok) return undefined;
  const { servers = [] } = (await reply.json()) as { servers?: { url?: string }[] };
  return servers[0]?.url;
}

async function listAccounts(opsUrl: string, token: string): Promise<number | undefined> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    return (await ask(new URL('/admin/accounts?limit=1', opsUrl).href, { headers })).status;
  } catch {
    return undefined;
  }
}

async function askRedis(url: string): Promise<readonly RedisFinding[]> {
  const redis = connectRedis({ url, role: 'fail-fast', name: 'mailhook-preflight', onError: () => undefined });
  try {
    await whenReady(redis, WITHIN_MS);
    return await checkRedisSettings(redis);
  } catch (error) {
    return [{ severity: 'fault', text: reasonOf(error) }];
  } finally {
    await closeRedis(redis);
  }
}

/** fetch hides why behind "fetch failed". */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
