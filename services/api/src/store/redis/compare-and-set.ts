import type { Redis } from '@mailhook/platform/redis';

/**
 * Replaces a value only if it is still the one that was read. The script treats records as opaque text, because Lua's JSON library refuses
 * some texts that JavaScript writes. KEYS: the key. ARGV: the expected value ('' if absent), the next value ('' to remove it), the field of
 * a hash or '', a text or '', and the maximum number of the hash's records that may contain this text. Reply: 1 if written, 0 if another
 * writer changed the value, -1 if the maximum is reached.
 */
const SCRIPT = `
local field = ARGV[3]
local current
if field == '' then current = redis.call('GET', KEYS[1]) else current = redis.call('HGET', KEYS[1], field) end
if (current or '') ~= ARGV[1] then return 0 end
local text = ARGV[4]
if text ~= '' and string.find(ARGV[2], text, 1, true) and not string.find(current or '', text, 1, true) then
  local count = 0
  for _, record in ipairs(redis.call('HVALS', KEYS[1])) do
    if string.find(record, text, 1, true) then count = count + 1 end
  end
  if count >= tonumber(ARGV[5]) then return -1 end
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

/** Limits the number of records in a hash that contain this text. A record that already contains it can still be changed. */
export interface RecordLimit {
  readonly text: string;
  readonly max: number;
  /** Thrown instead of a write that would exceed the limit. */
  readonly fault: Error;
}

interface UpdateOptions {
  readonly limit?: RecordLimit | undefined;
  /** For changes that switch a destination off or delete it. A full Redis must not refuse them. */
  readonly evenWhenFull?: boolean;
}

/** Reads a record. Resolves with null if there is none. */
export const readRecord = (redis: Redis, place: RecordPlace): Promise<string | null> =>
  place.field === undefined ? redis.get(place.key) : redis.hget(place.key, place.field);

/**
 * Reads a record and writes the result of `decide`, and repeats both until no other writer interferes. `decide` gets the record (null if
 * there is none) and returns the next one, null to remove it, or undefined to change nothing. Resolves with the values before and after.
 */
export async function updateRecord(
  redis: Redis,
  place: RecordPlace,
  decide: (current: string | null) => string | null | undefined,
  { limit, evenWhenFull = false }: UpdateOptions = {},
): Promise<{ readonly before: string | null; readonly after: string | null | undefined }> {
  for (;;) {
    const before = await readRecord(redis, place);
    const after = decide(before);
    if (after === undefined) return { before, after };
    const args = [before ?? '', after ?? '', place.field ?? '', limit?.text ?? '', limit?.max ?? 0];
    const done = await redis.eval(evenWhenFull ? SCRIPT_WHEN_FULL : SCRIPT, 1, place.key, ...args);
    if (done === -1 && limit !== undefined) throw limit.fault;
    if (done === 1) return { before, after };
  }
}
