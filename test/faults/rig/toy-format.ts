import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Redis } from '@mailhook/platform/redis';
import { FRESH_AT } from '../../../packages/delivery/src/mailbox/layout.ts';

/** More than any status, which is the first byte of a state. */
const MARK = 128;
/** How much wider the field `fresh` is. */
const WIDER_BY = 2;

/**
 * The format after the product's, as a toy: the field `fresh` of a state is wider, so all fields after it have other
 * places. The first byte names the format. A version reads both, and writes one.
 */
export type ToyFormat = 'earlier' | 'later';

/** Of a counter in Redis, after the shard's prefix: states of the other format that this version has read. */
export const readsBy = (version: ToyFormat): string => `toy-reads-by-${version}`;

/** This process writes this format from now on. Call it before the engine loads its functions. */
export function useToyFormat(writes: ToyFormat): void {
  const read = fs.readFileSync;
  const changed = (file: unknown, ...more: unknown[]): unknown => {
    const text: unknown = Reflect.apply(read, fs, [file, ...more]);
    return typeof text === 'string' && String(file).endsWith('/includes/base.lua') ? withToyFormat(text, writes) : text;
  };
  fs.readFileSync = changed as typeof read;
  syncBuiltinESMExports();
}

function withToyFormat(lua: string, writes: ToyFormat): string {
  const changes = [
    ['= redis.call, struct.pack', '= storedCall, struct.pack'],
    ['\nlocal resets = {}', storedCall(writes === 'later')],
  ] as const;
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`base.lua has no text ${from}`);
    return text.replace(from, () => to);
  }, lua);
}

/** The same connection, for readers of states. */
export function readingBothFormats(redis: Redis): Redis {
  const isLive = (key: unknown): boolean => String(key).endsWith(':live');
  return new Proxy(redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (name === 'hmgetBuffer')
        return async (key: unknown, ...fields: unknown[]) => {
          const states = (await method(key, ...fields)) as (Buffer | null)[];
          return isLive(key) ? states.map((state) => state && decode(state)) : states;
        };
      if (name === 'hscanBuffer')
        return async (key: unknown, ...more: unknown[]) => {
          const [next, page] = (await method(key, ...more)) as [Buffer, Buffer[]];
          return [next, isLive(key) ? page.map((bytes, i) => (i % 2 === 1 ? decode(bytes) : bytes)) : page];
        };
      return method;
    },
  });
}

function decode(bytes: Buffer): Buffer {
  const first = bytes[0] ?? 0;
  if (first < MARK) return bytes;
  const start = Buffer.from([first - MARK]);
  return Buffer.concat([start, bytes.subarray(1, FRESH_AT - 1), bytes.subarray(FRESH_AT - 1 + WIDER_BY)]);
}

const storedCall = (writesLater: boolean): string => `
local function decode(text)
  local first = text and text:byte()
  if first and (first < ${MARK}) == ${String(writesLater)} then
    redis.call('INCR', P .. '${readsBy(writesLater ? 'later' : 'earlier')}')
  end
  if not first or first < ${MARK} then return text end
  return string.char(first - ${MARK}) .. text:sub(2, ${FRESH_AT - 1}) .. text:sub(${FRESH_AT + WIDER_BY})
end
local function encode(text)
  return string.char(text:byte() + ${MARK}) .. text:sub(2, ${FRESH_AT - 1}) .. '\\0\\0' .. text:sub(${FRESH_AT})
end
local function storedCall(name, key, ...)
  if not key then return redis.call(name) end
  if key:sub(-5) ~= ':live' then return redis.call(name, key, ...) end
  local values = { ... }
  if ${String(writesLater)} and name == 'HSET' then
    for i = 2, #values, 2 do values[i] = encode(values[i]) end
  end
  local reply = redis.call(name, key, unpack(values))
  if name == 'HGET' then return decode(reply) end
  if name == 'HMGET' then
    for i = 1, #values do reply[i] = decode(reply[i]) end
  elseif name == 'HSCAN' then
    for i = 2, #reply[2], 2 do reply[2][i] = decode(reply[2][i]) end
  end
  return reply
end
local resets = {}`;
