import type { Redis } from '@mailhook/platform/redis';

/**
 * Replaces a value only while it is still the one that was read. Records stay opaque text to the script: Lua's JSON library would
 * refuse some texts that JavaScript's writes. KEYS: the key. ARGV: expected, next ('' for absent, resp. removed), field of a hash or '';
 * then, where the hash may hold only so many records with a text in them: that text (else ''), how many. Reply: 1 written, 0 changed by
 * somebody else, -1 there are so many already.
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
  /** Present: the record is a field of a hash. */
  readonly field?: string;
}

/** How many records of a hash may hold this text; a record that holds it already may be changed all the same. */
export interface RecordLimit {
  readonly text: string;
  readonly max: number;
  /** Thrown instead of a write that would make one more. */
  readonly fault: Error;
}

interface UpdateOptions {
  readonly limit?: RecordLimit | undefined;
  /** For changes that switch a destination off or delete it. A full Redis must not refuse them. */
  readonly evenWhenFull?: boolean;
}

/** Reads a record; null when there is none. */
export const readRecord = (redis: Redis, place: RecordPlace): Promise<string | null> =>
  place.field === undefined ? redis.get(place.key) : redis.hget(place.key, place.field);

/**
 * Reads a record, decides, and writes the decision, again until nobody came in between. `decide` gets the record (null: none) and returns
 * the next one, null to remove it, or undefined to leave everything as it is. Resolves with what was read and written.
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
