import type { Logger } from '../logger/index.ts';
import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import { UnusableRedisError } from './unusable.ts';

/** A fault of a Redis, a risk, or a setting that could not be checked. */
export interface RedisFinding {
  /** `unchecked` means that Redis forbids the command that would show the setting, as managed services do. */
  readonly severity: 'fault' | 'risk' | 'unchecked';
  readonly about: 'settings' | 'disk' | 'version';
  /** A sentence that names the setting and the fix. */
  readonly text: string;
}

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

/** @throws UnusableRedisError if a node is too old for Mailhook's scripts. */
export async function assertRedisVersion(redis: Redis): Promise<void> {
  const [finding] = (await onEveryMaster(redis, versionFindingOf)).filter((one) => one !== undefined);
  if (finding !== undefined) throw new UnusableRedisError(finding.text);
}

const versionFindingOf = async (redis: Redis): Promise<RedisFinding | undefined> =>
  versionFinding(redis, (await unlessForbidden(redis.info().then(parseInfo))) ?? new Map());

async function checkNode(redis: Redis): Promise<RedisFinding[]> {
  const info = await unlessForbidden(redis.info().then(parseInfo));
  if (info === undefined) {
    return [
      unchecked(
        'Redis forbids INFO, so its settings cannot be checked: make sure of maxmemory-policy noeviction, appendonly yes, appendfsync everysec and no save points.',
      ),
    ];
  }
  const persistence = info.get('aof_enabled') === '1' ? await syncFinding(redis) : await snapshotFinding(redis);
  const snapshots = info.get('aof_enabled') === '1' ? await savePointFinding(redis) : undefined;
  const [disk, version] = await Promise.all([diskFinding(redis, info), versionFinding(redis, info)]);
  return [evictionFinding(info), persistence, snapshots, disk, version].filter((finding) => finding !== undefined);
}

const fault = (text: string, about: RedisFinding['about'] = 'settings'): RedisFinding => ({
  severity: 'fault',
  about,
  text,
});
const unchecked = (text: string): RedisFinding => ({ severity: 'unchecked', about: 'settings', text });

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

function evictionFinding(info: Info): RedisFinding | undefined {
  const policy = info.get('maxmemory_policy');
  if (policy === undefined || policy === 'noeviction') return undefined;
  return fault(`Redis may evict accepted events: maxmemory-policy is ${policy}; set it to noeviction.`);
}

async function syncFinding(redis: Redis): Promise<RedisFinding | undefined> {
  const policy = await readSetting(redis, 'appendfsync');
  if (policy === undefined)
    return unchecked(
      'Redis forbids CONFIG, so appendfsync cannot be checked: make sure that it is everysec or always.',
    );
  if (policy !== 'no') return undefined;
  return fault(
    'Redis does not sync its append-only file: about 30 seconds of accepted events are lost when its machine dies; set appendfsync to everysec or always.',
  );
}

/** Only with an append-only file, because otherwise the snapshots are all that Redis keeps. */
async function savePointFinding(redis: Redis): Promise<RedisFinding | undefined> {
  const [save, stopsWrites] = await Promise.all([
    readSetting(redis, 'save'),
    readSetting(redis, 'stop-writes-on-bgsave-error'),
  ]);
  if (save === undefined || stopsWrites === undefined)
    return unchecked("Redis forbids CONFIG, so its save points cannot be checked: make sure that save is '' (none).");
  if (save === '' || stopsWrites === 'no') return undefined;
  const text = `Redis makes snapshots (save ${save}), and refuses all writes after a failed one, although its append-only file is whole: set save to ''.`;
  return { severity: 'risk', about: 'settings', text };
}

async function snapshotFinding(redis: Redis): Promise<RedisFinding> {
  if ((await readSetting(redis, 'save')) === '')
    return fault('Redis keeps nothing on disk: accepted events are lost when it stops; set appendonly to yes.');
  return fault(
    'Redis has no append-only file: what was accepted since its last snapshot is lost when it dies; set appendonly to yes.',
  );
}

async function diskFinding(redis: Redis, info: Info): Promise<RedisFinding | undefined> {
  const refusal = await readDiskRefusal(redis);
  if (refusal !== undefined || info.get('aof_last_write_status') === 'err') {
    const reason = refusal ?? 'its append-only file';
    return fault(`Redis cannot write to its disk, and takes no events until it can: ${reason}; give it space.`, 'disk');
  }
  if (info.get('aof_last_bgrewrite_status') === 'err')
    return fault(
      'Redis failed to rewrite its append-only file, which grows until its disk is full: see its log, give it space, and run BGREWRITEAOF.',
      'disk',
    );
  return undefined;
}

/** A compatible server may report another version than its features have, so it is asked for its functions too. */
async function versionFinding(redis: Redis, info: Info): Promise<RedisFinding | undefined> {
  const version = info.get('redis_version') ?? '';
  const isOld = version !== '' && Number(version.split('.')[0]) < 7;
  if (!isOld && (await hasFunctions(redis))) return undefined;
  const why = isOld ? 'is too old' : 'has no functions (FUNCTION LOAD)';
  return fault(`Redis ${version} ${why}: Mailhook needs 7.0 or newer.`, 'version');
}

const hasFunctions = (redis: Redis): Promise<boolean> =>
  redis.function('LIST', 'LIBRARYNAME', 'none').then(
    () => true,
    (error: unknown) => !(error instanceof Error && /unknown command/i.test(error.message)),
  );
