-- Keeps given-up events as dead letters, for 7 days.
--- @include base
--- @include clock
--- @include accounts
--- @constants DEAD_LETTER_RECORDS_KEPT_MS
-- `extra`: further fields of the record.
local function keepDeadLetter(s, id, address, events, bytes, attempts, why, extra)
  local key = K .. 'dl:' .. id
  redis.call('HSET', key, 'account', s.account, 'dest', s.d, 'address', address, 'events', events, 'bytes', bytes,
    'attempts', attempts, 'error', why, 'time', NOW, unpack(extra))
  -- Redis's own expiry follows every step of its clock, so it only removes what no heartbeat has removed for a month.
  redis.call('PEXPIRE', key, DEAD_LETTER_RECORDS_KEPT_MS)
  local member = (CAMPAIGN and 'c' or 't') .. id
  for _, list in ipairs({ P .. 'dls', P .. 'dls:' .. s.account }) do
    redis.call('ZADD', list, NOW, member)
    redis.call('PEXPIRE', list, DEAD_LETTER_RECORDS_KEPT_MS)
  end
  addAccountEvents(s.account, -events)
end
