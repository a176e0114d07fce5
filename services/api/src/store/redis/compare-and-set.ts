import type { Redis } from '@mailhook/platform/redis';

/**
 * Replaces a value only if it is still the one that was read. KEYS: the key, and a revision or nothing. ARGV: the
 * expected value ('' if absent), the next value ('' to remove it), the field of a hash or '', the expected revision (''
 * if absent). Reply: 1 if written, 0 if another writer was faster.
 */
const SCRIPT = `
local field = ARGV[3]
local current
if field == '' then current = redis.call('GET', KEYS[1]) else current = redis.call('HGET', KEYS[1], field) end
if (current or '') ~= ARGV[1] then return 0 end
if KEYS[2] then
  if (redis.call('GET', KEYS[2]) or '') ~= ARGV[4] then return 0 end
  redis.call('INCR', KEYS[2])
end
if field == '' then
  if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2]) end
else
  if ARGV[2] == '' then redis.call('HDEL', KEYS[1], field) else redis.call('HSET', KEYS[1], field, ARGV[2]) end
end
return 1
`;

/** Runs even when Redis is at its memory limit. */
const SCRIPT_WHEN_FULL = `#!lua flags=allow-oom\n${SCRIPT}`;

export interface RecordPlace {
  readonly key: string;
  /** If present, the record is this field of a hash. */
  readonly field?: string;
}

interface UpdateOptions {
  /**
   * The key of a number that rises with the write. Needed if `decide` reads other records, which must not change before
   * the write.
   */
  readonly revision?: string | undefined;
  /** For changes that switch a destination off or delete it. A full Redis must not refuse them. */
  readonly evenWhenFull?: boolean;
}

/** A record's next text, null to remove it, or undefined to change nothing. */
type Decision = string | null | undefined;

/** Reads a record. Resolves with null if there is none. */
export const readRecord = (redis: Redis, place: RecordPlace): Promise<string | null> =>
  place.field === undefined ? redis.get(place.key) : redis.hget(place.key, place.field);

/**
 * Reads a record and writes the result of `decide`, and repeats both until no other writer interferes. `decide` gets
 * the record, null if there is none. Resolves with the values before and after.
 */
export async function updateRecord(
  redis: Redis,
  place: RecordPlace,
  decide: (current: string | null) => Decision | Promise<Decision>,
  { revision, evenWhenFull = false }: UpdateOptions = {},
): Promise<{ readonly before: string | null; readonly after: Decision }> {
  for (;;) {
    const expected = revision === undefined ? null : await redis.get(revision);
    const before = await readRecord(redis, place);
    const after = await decide(before);
    if (after === undefined) return { before, after };
    const keys = revision === undefined ? [place.key] : [place.key, revision];
    const args = [before ?? '', after ?? '', place.field ?? '', expected ?? ''];
    const script = evenWhenFull ? SCRIPT_WHEN_FULL : SCRIPT;
    if ((await redis.eval(script, keys.length, ...keys, ...args)) === 1) return { before, after };
  }
}
