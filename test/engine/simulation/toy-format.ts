import { FRESH_AT } from '../../../packages/delivery/src/mailbox/layout.ts';
import type { StoredFormat } from './simulated-redis.ts';

/** More than any status, which is the first byte of a state. */
const MARK = 128;
/** How much wider the field `fresh` is. */
const WIDER_BY = 2;

export const READ_BY_EARLIER = 'a version reads a state of the format after its own';
export const READ_BY_LATER = 'a version reads a state of the format before its own';

/**
 * The format after the product's, as a toy: the field `fresh` of a state is wider, so all fields after it have other
 * places. The first byte names the format.
 *
 * `writes`: which of both formats a version writes. It reads both.
 */
export const toyFormat = (writes: 'earlier' | 'later'): StoredFormat => ({
  changes: [
    { from: '= simulatedCall, struct.pack', to: '= storedCall, struct.pack' },
    { from: '\nlocal resets = {}', to: storedCall(writes === 'later') },
  ],
  decode: (bytes) => {
    const first = bytes[0] ?? 0;
    if (first < MARK) return bytes;
    return Buffer.concat([
      Buffer.from([first - MARK]),
      bytes.subarray(1, FRESH_AT - 1),
      bytes.subarray(FRESH_AT - 1 + WIDER_BY),
    ]);
  },
});

const storedCall = (writesLater: boolean): string => `
local function decode(text)
  local first = text and text:byte()
  if first and first < ${MARK} ${writesLater ? '' : 'and false '}then reach('${READ_BY_LATER}') end
  if not first or first < ${MARK} then return text end
  ${writesLater ? '' : `reach('${READ_BY_EARLIER}')`}
  return string.char(first - ${MARK}) .. text:sub(2, ${FRESH_AT - 1}) .. text:sub(${FRESH_AT + WIDER_BY})
end
local function encode(text)
  return string.char(text:byte() + ${MARK}) .. text:sub(2, ${FRESH_AT - 1}) .. '\\0\\0' .. text:sub(${FRESH_AT})
end
local function storedCall(name, key, ...)
  if not key or key:sub(-5) ~= ':live' then return simulatedCall(name, key, ...) end
  local values = { ... }
  if ${String(writesLater)} and name == 'HSET' then
    for i = 2, #values, 2 do values[i] = encode(values[i]) end
  end
  local reply = simulatedCall(name, key, unpack(values))
  if name == 'HGET' then return decode(reply) end
  if name == 'HMGET' then
    for i = 1, #values do reply[i] = decode(reply[i]) end
  elseif name == 'HSCAN' then
    for i = 2, #reply[2], 2 do reply[2][i] = decode(reply[2][i]) end
  end
  return reply
end
local resets = {}`;
