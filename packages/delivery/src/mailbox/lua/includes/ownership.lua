-- Claims and releases destinations. An owner's token is `<worker>_<number of the claim>`.
--- @include mailbox
--- @include clock
--- @include forget
--- @constants LEASE_MS
local leased
onCall(function() leased = false end)

local function worker(token) return string.match(token, '^[^_]+') end

-- The worker may have lost its lease or sent no heartbeat yet. Without a lease, nobody would notice its death.
local function lendLease(w)
  if not leased then redis.call('ZADD', K .. 'workers', 'NX', NOW + LEASE_MS, w) end
  leased = true
end

local function claim(s, w, n)
  s.owner = w .. '_' .. n
  lendLease(w)
  redis.call('SADD', K .. 'owned:' .. w, s.d)
  redis.call('ZADD', K .. 'busy', 'NX', NOW, s.d)
  if s.bu > 0 or s.paused > 0 then redis.call('ZREM', K .. 'parked', s.d) end
  if s.paused > 0 and s.paused <= NOW then forget(s, 'paused') end
end

local function release(s)
  redis.call('SREM', K .. 'owned:' .. worker(s.owner), s.d)
  s.owner = ''
end
