-- Changes a destination's record, and the parts of it that the state of its mailbox has.
--- @include state
-- `what`: UNKNOWN to DELETED.
local function writeRecord(what, version, account, address, reason, credentials)
  s.record, s.version, s.revision = what, version, (s.revision + 1) % 4294967296
  redis.call('HSET', K .. 'records', s.d, struct.pack(RECORD, s.record, s.proven, s.version, s.revision)
    .. struct.pack(RECORD_TEXTS, #account, account, #address, address, #reason, reason) .. credentials)
end

-- The account, address, reason and credentials of a record.
local function readRecord(text)
  local account, address, reason, at = struct.unpack(RECORD_TEXTS, text, TEXTS_AT)
  return account, address, reason, string.sub(text, at)
end

local function setProven(proven)
  if s.proven == proven then return end
  s.proven = proven
  local text = redis.call('HGET', K .. 'records', s.d)
  if text then
    redis.call('HSET', K .. 'records', s.d, string.sub(text, 1, 1) .. string.char(proven) .. string.sub(text, 3))
  end
end

-- The receiver answered 410. The set `gone` reports it to the store.
local function deactivate(reason)
  local account, address, _, credentials = readRecord(redis.call('HGET', K .. 'records', s.d))
  writeRecord(GONE, s.version, account, address, reason, credentials)
  redis.call('SADD', K .. 'gone', s.d)
end
