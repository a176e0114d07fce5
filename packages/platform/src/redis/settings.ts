import { onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';

/**
 * What is wrong with the settings of this Redis, or of a cluster's masters, in sentences that name the setting and the mend; empty when all is well.
 * Reads `INFO`, so that it works where `CONFIG` is forbidden (managed Redis). Rejects only when Redis cannot be reached.
 */
export async function checkRedisSettings(redis: Redis): Promise<string[]> {
  const faults = await onEveryMaster(redis, checkNode);
  return [...new Set(faults.flat())];
}

async function checkNode(redis: Redis): Promise<string[]> {
  const info = await readInfo(redis);
  if (info === undefined) {
    return [
      'Redis forbids INFO, so its settings cannot be checked: make sure of maxmemory-policy noeviction and appendonly yes.',
    ];
  }
  return [evictionFault(info), await persistenceFault(redis, info), versionFault(info)].filter(
    (fault) => fault !== undefined,
  );
}

type Info = ReadonlyMap<string, string>;

/** `INFO` as a map; undefined where it is forbidden. */
async function readInfo(redis: Redis): Promise<Info | undefined> {
  try {
    return parseInfo(await redis.info());
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

export function parseInfo(text: string): Info {
  const fields = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
}

const isForbidden = (error: unknown): boolean =>
  error instanceof Error && /^(NOPERM|ERR unknown command|ERR .*not allowed)/i.test(error.message);

function evictionFault(info: Info): string | undefined {
  const policy = info.get('maxmemory_policy');
  if (policy === undefined || policy === 'noeviction') return undefined;
  return `Redis may evict accepted events: maxmemory-policy is ${policy}; set it to noeviction.`;
}

async function persistenceFault(redis: Redis, info: Info): Promise<string | undefined> {
  if (info.get('aof_enabled') === '1') {
    if (info.get('aof_last_write_status') === 'err') return 'Redis cannot write its append-only file: check its disk.';
    return undefined;
  }
  const snapshots = await snapshotSchedule(redis);
  if (snapshots === '')
    return 'Redis keeps nothing on disk: accepted events are lost when it stops; set appendonly to yes.';
  return 'Redis has no append-only file: what was accepted since its last snapshot is lost when it dies; set appendonly to yes.';
}

/** The `save` setting; undefined where `CONFIG` is forbidden. */
async function snapshotSchedule(redis: Redis): Promise<string | undefined> {
  try {
    const [, schedule] = (await redis.config('GET', 'save')) as [string, string];
    return schedule;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

function versionFault(info: Info): string | undefined {
  const version = info.get('redis_version');
  if (version === undefined || Number(version.split('.')[0]) >= 7) return undefined;
  return `Redis ${version} is too old: Mailhook needs 7.0 or newer.`;
}
