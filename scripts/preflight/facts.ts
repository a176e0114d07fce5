import { lookup } from 'node:dns/promises';
import type { Finding as OverviewFinding } from '@mailhook/core';
import { publicAddressesOf } from '@mailhook/platform/http-server';
import { closeRedis, connectRedis, readRedisSettings, whenReady } from '@mailhook/platform/redis';
import type { RedisSettings } from '@mailhook/platform/redis';
import { readScrape } from '../monitoring/scrape.ts';
import type { Series } from '../monitoring/scrape.ts';
import { messageOf } from '../user-error.ts';

/** The addresses and tokens for the checks. */
export interface Targets {
  /** Operations ports, the api's first, then those of workers. */
  readonly opsUrls: readonly string[];
  readonly publicUrl: string;
  readonly redisUrl: string | undefined;
  readonly adminToken: string | undefined;
  readonly producerToken: string | undefined;
}

/** The replies of one operations port. */
export interface ServiceFacts {
  readonly url: string;
  /** Why the service did not answer at all. */
  readonly fault: string | undefined;
  /** Why the service is not ready. */
  readonly notReady: readonly string[];
  readonly series: readonly Series[];
  /** The addresses of its host that lie in the internet. */
  readonly publicAddresses: readonly string[];
}

/** A finding of the operators' overview. */
type ReportedFinding = Pick<OverviewFinding, 'tone' | 'text' | 'alert' | 'runbook'>;

/** The replies of an installation, before they are judged. */
export interface Facts {
  readonly targets: Targets;
  /** In the order of `opsUrls`. */
  readonly services: readonly ServiceFacts[];
  /** Common words that the api accepts as tokens. Undefined if it judged none. */
  readonly guessedTokens: readonly string[] | undefined;
  /** The status of the list of accounts, which needs the store. Undefined without an admin token. */
  readonly accountsStatus: number | undefined;
  /** What the api reports as wrong. Undefined without an admin token that it accepts. */
  readonly reported: readonly ReportedFinding[] | undefined;
  readonly publicPort: {
    readonly fault: string | undefined;
    /** The status without a token. */
    readonly unsignedStatus: number | undefined;
    /** The address in the API's documentation, which is `PUBLIC_URL`. */
    readonly documentedUrl: string | undefined;
    /** Paths of the operations port that the public port serves too. */
    readonly leaks: readonly string[];
  };
  /** The settings of each master, or why Redis did not answer. Undefined without `--redis-url`. */
  readonly redis: readonly RedisSettings[] | string | undefined;
}

const WITHIN_MS = 5000;
/** The api does not start with shorter tokens. */
const TOKEN_CHARS_MIN = 24;
/** Common words, repeated up to the length of a token. The list is short, because failed sign-ins are limited. */
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
/** A 403 means that the guess is the producer token. */
const KNOWN_TOKEN: ReadonlySet<number> = new Set([200, 403]);
/** A valid token passes also after too many wrong ones. */
const UNKNOWN_TOKEN: ReadonlySet<number> = new Set([401, 429]);
const OPERATIONS_PATHS = ['/metrics', '/readyz', '/admin/accounts', '/admin/queues'];

/** Queries all targets. Never rejects: a target that does not answer is a fact as well. */
export async function gatherFacts(targets: Targets): Promise<Facts> {
  const [opsUrl = ''] = targets.opsUrls;
  const [services, publicPort, redis] = await Promise.all([
    Promise.all(targets.opsUrls.map(askService)),
    askPublicPort(targets.publicUrl),
    targets.redisUrl === undefined ? undefined : askRedis(targets.redisUrl),
  ]);
  const guesses: (readonly [string, number | undefined])[] = [];
  for (const guess of GUESSES) guesses.push([guess, await listAccounts(opsUrl, guess)]);
  const isJudged = guesses.every(([, status = 0]) => KNOWN_TOKEN.has(status) || UNKNOWN_TOKEN.has(status));
  const guessedTokens = isJudged
    ? guesses.filter(([, status = 0]) => KNOWN_TOKEN.has(status)).map(([guess]) => guess)
    : undefined;
  const { adminToken } = targets;
  const accountsStatus = adminToken === undefined ? undefined : await listAccounts(opsUrl, adminToken);
  const reported = accountsStatus === 200 ? await readReported(opsUrl, adminToken ?? '') : undefined;
  return { targets, services, guessedTokens, accountsStatus, reported, publicPort, redis };
}

const ask = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(WITHIN_MS) });

async function findPublicAddresses(url: string): Promise<string[]> {
  const hostname = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.flatMap(({ address }) => publicAddressesOf(address));
}

async function askService(url: string): Promise<ServiceFacts> {
  const publicAddresses = await findPublicAddresses(url);
  try {
    const ready = await ask(new URL('/readyz', url).href);
    const { reasons = [] } = (await ready.json()) as { reasons?: string[] };
    const metrics = await ask(new URL('/metrics', url).href);
    if (!metrics.ok) throw new Error(`/metrics answers ${metrics.status}`);
    return { url, fault: undefined, notReady: reasons, series: readScrape(await metrics.text()), publicAddresses };
  } catch (error) {
    return { url, fault: reasonOf(error), notReady: [], series: [], publicAddresses };
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

const askSigned = (opsUrl: string, path: string, token: string): Promise<Response> =>
  ask(new URL(path, opsUrl).href, { headers: { authorization: `Bearer ${token}` } });

async function listAccounts(opsUrl: string, token: string): Promise<number | undefined> {
  try {
    return (await askSigned(opsUrl, '/admin/accounts?limit=1', token)).status;
  } catch {
    return undefined;
  }
}

async function readReported(opsUrl: string, token: string): Promise<Facts['reported']> {
  try {
    const reply = await askSigned(opsUrl, '/admin/overview', token);
    return reply.ok ? ((await reply.json()) as { findings: ReportedFinding[] }).findings : undefined;
  } catch {
    return undefined;
  }
}

async function askRedis(url: string): Promise<Facts['redis']> {
  const redis = connectRedis({ url, role: 'fail-fast', name: 'mailhook-preflight', onError: () => undefined });
  try {
    await whenReady(redis, WITHIN_MS);
    return await readRedisSettings(redis);
  } catch (error) {
    return reasonOf(error);
  } finally {
    await closeRedis(redis);
  }
}

/** `fetch` hides the reason behind "fetch failed". */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
