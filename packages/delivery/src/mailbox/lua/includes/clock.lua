-- Defines NOW, the time that all commands use. NOW is Redis's time plus a shift, and it goes on evenly when Redis's
-- clock steps (decision 0033). `P clock` holds Redis's time at the last heartbeat, and the shift. After a gap between
-- heartbeats, NOW stands still until a worker has compared Redis's clock with a monotonic one (set-clock.lua).
--- @include base
--- @constants GAP_MS
local RAW, STORED_CLOCK, AT, SHIFT, NOW
onCall(function()
  local time = redis.call('TIME')
  RAW = time[1] * 1000 + math.floor(time[2] / 1000)
  STORED_CLOCK = redis.call('GET', P .. 'clock') or ''
  AT, SHIFT = string.match(STORED_CLOCK, '^(%S+) (%S+)$')
  AT, SHIFT = tonumber(AT or RAW), tonumber(SHIFT or 0)
  NOW = SHIFT + math.max(AT - GAP_MS, math.min(RAW, AT + GAP_MS))
end)
