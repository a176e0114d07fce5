-- Redrives a dead letter. A batch becomes a resend that is due now and keeps its number of attempts. Events that were
-- never sent return to their mailbox.
-- ARGV: dead letter, the new resend's id, an id of the run that redrives it. The progress of a new run is added to that
-- of the runs before while some of their events are on the way, else it begins anew.
-- Reply: 'redriven', 'gone' when the dead letter is not there, or 'inactive' when its destination is inactive or
-- deleted.
--- @include accounts
--- @include clock
--- @include mailbox
--- @include ready
--- @include redriven
--- @constants DEAD_LETTERS_KEPT_MS
local key = K .. 'dl:' .. ARGV[1]
local l = redis.call('HMGET', key,
  'dest', 'account', 'type', 'wid', 'body', 'at', 'events', 'attempts', 'lane', 'traces', 'time')
if not l[1] or tonumber(l[11]) <= NOW - DEAD_LETTERS_KEPT_MS then return 'gone' end
local s = load(l[1])
if not s.known or not s.active then return 'inactive' end
local progress = P .. 'redriven:' .. l[2]
local p = redis.call('HMGET', progress, 'run', 'events', 'delivered', 'failed')
if p[1] ~= ARGV[3] then
  local waiting = tonumber(p[2] or 0) - tonumber(p[3] or 0) - tonumber(p[4] or 0)
  if waiting <= 0 then redis.call('DEL', progress) end
  redis.call('HSET', progress, 'run', ARGV[3])
  redis.call('HSETNX', progress, 'at', NOW)
end
countRedriven(l[2], l[3] == 'mail' and 'returned' or 'events', tonumber(l[7]))
local member = (CAMPAIGN and 'c' or 't') .. ARGV[1]
if l[3] == 'mail' then
  local from, lane = K .. 'dlm:' .. ARGV[1], K .. l[9] .. ':' .. s.d
  for at = 0, redis.call('LLEN', from) - 1, 1000 do
    redis.call('RPUSH', lane, unpack(redis.call('LRANGE', from, at, at + 999)))
  end
  redis.call('DEL', from)
  redis.call('HINCRBY', K .. 'd:' .. s.d, 'e' .. l[9], l[7])
  s = load(l[1])
else
  local resend = K .. 'x:' .. ARGV[2]
  redis.call('HSET', resend, 'dest', s.d, 'wid', l[4], 'step', 0, 'events', l[7],
    'attempt', l[8], 'error', '', 'body', l[5], 'at', l[6], 'redriven', 1)
  if l[10] then redis.call('HSET', resend, 'traces', l[10]) end
  redis.call('SADD', K .. 'xs:' .. s.d, ARGV[2])
  redis.call('RPUSH', K .. 'q:' .. s.d, ARGV[2])
end
addAccountEvents(s.account, tonumber(l[7]))
redis.call('ZADD', K .. 'busy', NOW, s.d)
redis.call('DEL', key)
redis.call('ZREM', P .. 'dls', member)
redis.call('ZREM', P .. 'dls:' .. l[2], member)
if s.paused <= NOW and (s.bu <= NOW or l[3] ~= 'mail') then
  queueReady(s)
  save(s)
end
return 'redriven'
