-- Keeps given-up events as dead letters, for 7 days.
--- @include run
--- @constants DEAD_LETTER_RECORDS_KEPT_MS
-- `more`: further fields of the record.
local function keepDeadLetter(id, account, address, events, bytes, attempts, why, more)
  local key = K .. 'dl:' .. id
  call('HSET', key, 'account', account, 'destination', s.destination, 'address', address, 'events', events,
    'bytes', bytes, 'attempts', attempts, 'error', why, 'time', NOW, unpack(more))
  -- Redis's own expiry follows every step of its clock, so it only removes what no heartbeat has removed for a month.
  call('PEXPIRE', key, DEAD_LETTER_RECORDS_KEPT_MS)
  local member = (CAMPAIGN and 'c' or 't') .. id
  for _, list in ipairs({ P .. 'dls', P .. 'dls:' .. account }) do
    call('ZADD', list, NOW, member)
    call('PEXPIRE', list, DEAD_LETTER_RECORDS_KEPT_MS)
  end
  count(account, -events, 0)
end
