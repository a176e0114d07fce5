/** The scripts trust Redis's clock for this long after a heartbeat. A longer gap is a stall of all heartbeats or a step of the clock. */
const GAP_MS = 1500;

/**
 * Defines NOW, the time that all scripts use. It is Redis's time plus a shift, and goes on evenly when Redis's clock steps: `P clock` holds Redis's time at the
 * last heartbeat, and the shift. After a gap, NOW stands still until a worker has compared Redis's clock with its own monotonic one (`SET_CLOCK_LUA`).
 */
export const CLOCK_LUA = `
local time = redis.call('TIME')
local RAW = time[1] * 1000 + math.floor(time[2] / 1000)
local BASE = redis.call('GET', P .. 'clock') or ''
local AT, SHIFT = string.match(BASE, '^(%S+) (%S+)$')
AT, SHIFT = tonumber(AT or RAW), tonumber(SHIFT or 0)
local STEADY = math.abs(RAW - AT) <= ${GAP_MS}
local NOW = SHIFT + math.max(AT - ${GAP_MS}, math.min(RAW, AT + ${GAP_MS}))
-- A heartbeat moves the base on. The shift shrinks by a tenth of the time, so that a corrected clock of Redis counts again in the end.
local function moveBase()
  if not STEADY then return end
  local less = math.min(math.abs(SHIFT), math.floor(math.max(0, RAW - AT) / 10))
  redis.call('SET', P .. 'clock', RAW .. ' ' .. (SHIFT > 0 and SHIFT - less or SHIFT + less))
end
`;

/**
 * Ends a gap, once. ARGV: the base that the worker has seen, Redis's time then, the new shift. Reply: 1 when done, 0 when another worker was faster or
 * Redis's clock is in another gap.
 */
export const SET_CLOCK_LUA = `
if BASE ~= ARGV[1] or math.abs(RAW - tonumber(ARGV[2])) > ${GAP_MS} then return 0 end
redis.call('SET', P .. 'clock', RAW .. ' ' .. ARGV[3])
return 1
`;
