import type { RedisFinding } from '@mailhook/core';
import type { Logger } from '../logger/index.ts';
import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import { UnusableRedisError } from './unusable.ts';
import { judgeSetting, NEEDED_VERSION, settingText, WANTED_SETTINGS } from './wanted-settings.ts';
import type { RedisSettings } from './wanted-settings.ts';

/**
 * Checks the version, the settings and the disk of this Redis, or of a cluster's masters. Returns an empty list if all
 * is well. Rejects only if Redis cannot be reached.
 */
export async function checkRedisSettings(redis: Redis): Promise<RedisFinding[]> {
  const findings = (await onEveryMaster(redis, checkNode)).flat();
  return findings.filter(({ text }, i) => findings.findIndex((other) => other.text === text) === i);
}

/** Checks Redis when a service starts, and logs the findings. @throws UnusableRedisError if it is too old. */
export async function logRedisSettings(redis: Redis, logger: Logger): Promise<void> {
  await assertRedisVersion(redis);
  for (const { severity, text } of await checkRedisSettings(redis)) {
    if (severity === 'fault') logger.error(text);
    else logger.warn(text);
  }
}

/** @throws UnusableRedisError if a node is too old for Mailhook's functions. */
export async function assertRedisVersion(redis: Redis): Promise<void> {
  const [finding] = (await onEveryMaster(redis, versionFindingOf)).filter((one) => one !== undefined);
  if (finding !== undefined) throw new UnusableRedisError(finding.text);
}

const versionFindingOf = async (redis: Redis): Promise<RedisFinding | undefined> =>
  versionFinding(redis, (await readNode(redis)).settings);

async function checkNode(redis: Redis): Promise<RedisFinding[]> {
  const { info, settings } = await readNode(redis);
  if (info === undefined) {
    const all = WANTED_SETTINGS.map(({ name, wanted }) => `${name} ${wanted}`).join(', ');
    return [finding('unchecked', `Redis forbids INFO, so its settings cannot be checked: make sure of ${all}.`)];
  }
  const found = WANTED_SETTINGS.filter(({ name }) => name !== 'version').flatMap((wanted) => {
    const judgement = judgeSetting(wanted, settings);
    return judgement === 'good' ? [] : [finding(judgement, settingText(wanted, settings))];
  });
  const others = await Promise.all([diskFinding(redis, info), versionFinding(redis, settings)]);
  return [...found, ...others.filter((one) => one !== undefined)];
}

const finding = (severity: RedisFinding['severity'], text: string, about: RedisFinding['about'] = 'settings') => ({
  severity,
  about,
  text,
});

/** Settings of every master. */
export const readRedisSettings = (redis: Redis): Promise<RedisSettings[]> =>
  onEveryMaster(redis, async (node) => (await readNode(node)).settings);

/** `INFO` shows some settings where `CONFIG` is forbidden. */
async function readNode(redis: Redis): Promise<{ readonly info: Info | undefined; readonly settings: RedisSettings }> {
  const info = await unlessForbidden(redis.info().then(parseInfo));
  const fromConfig = [
    'appendfsync',
    'no-appendfsync-on-rewrite',
    'save',
    'stop-writes-on-bgsave-error',
    'list-compress-depth',
  ] as const;
  const values = await Promise.all(fromConfig.map(async (name) => [name, await readSetting(redis, name)] as const));
  const fromInfo = {
    version: info?.get('redis_version'),
    aof_rewrites: info?.get('aof_rewrites'),
    aof_last_bgrewrite_status: info?.get('aof_last_bgrewrite_status'),
    'maxmemory-policy': info?.get('maxmemory_policy'),
    appendonly: info && (info.get('aof_enabled') === '1' ? 'yes' : 'no'),
  };
  return { info, settings: Object.fromEntries([...Object.entries(fromInfo), ...values]) };
}

type Info = ReadonlyMap<string, string>;

export function parseInfo(text: string): Info {
  const fields = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
}

/** Resolves to undefined if Redis forbids the command. */
async function unlessForbidden<Reply>(reply: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof Error && /^(NOPERM|ERR unknown command|ERR .*not allowed)/i.test(error.message))
      return undefined;
    throw error;
  }
}

/** Reads a setting of this Redis. Returns undefined if Redis forbids `CONFIG`. */
export async function readSetting(redis: Redis, name: string): Promise<string | undefined> {
  const reply = await unlessForbidden(redis.config('GET', name));
  return Array.isArray(reply) ? String(reply[1]) : undefined;
}

/** The error with which Redis refuses writes because of its disk. Undefined while Redis accepts writes. */
export async function readDiskRefusal(redis: Redis): Promise<string | undefined> {
  try {
    await redis.ping();
    return undefined;
  } catch (error) {
    return isDiskRefusal(error) ? error.message : undefined;
  }
}

/** Whether Redis refuses a write because its disk is full or broken. */
export const isDiskRefusal = (error: unknown): error is Error =>
  error instanceof Error && error.message.startsWith('MISCONF');

async function diskFinding(redis: Redis, info: Info): Promise<RedisFinding | undefined> {
  const refusal = await readDiskRefusal(redis);
  if (refusal !== undefined || info.get('aof_last_write_status') === 'err') {
    const reason = /AOF file: (.*)$/.exec(refusal ?? '')?.[1];
    const text =
      `Redis cannot write to its disk${reason === undefined ? '' : ` (${reason})`}, and takes no events until it ` +
      'can; give it space.';
    return finding('fault', text, 'disk');
  }
  if (info.get('aof_last_bgrewrite_status') === 'err')
    return finding(
      'fault',
      'Redis failed to rewrite its append-only file, which grows until its disk is full: see its log, give it ' +
        'space, and run BGREWRITEAOF.',
      'disk',
    );
  return undefined;
}

/** A compatible server may report another version than its features have, so it is asked for its functions too. */
async function versionFinding(redis: Redis, settings: RedisSettings): Promise<RedisFinding | undefined> {
  const wanted = WANTED_SETTINGS.find(({ name }) => name === 'version');
  if (wanted !== undefined && judgeSetting(wanted, settings) === 'fault')
    return finding('fault', settingText(wanted, settings), 'version');
  if (await hasFunctions(redis)) return undefined;
  return finding(
    'fault',
    `Redis ${settings.version ?? ''} has no functions (FUNCTION LOAD); ${NEEDED_VERSION}.`,
    'version',
  );
}

const hasFunctions = (redis: Redis): Promise<boolean> =>
  redis.function('LIST', 'LIBRARYNAME', 'none').then(
    () => true,
    (error: unknown) => !(error instanceof Error && /unknown command/i.test(error.message)),
  );
