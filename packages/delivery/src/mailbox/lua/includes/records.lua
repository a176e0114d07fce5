-- Changes a destination's record, and the parts of it that the state of its mailbox has.
--- @include state
-- Account, address and reason; the credentials follow.
local TARGET = '>I2c0I2c0I2c0'

local function noteRecord()
  records[#records + 1] = s.d
  records[#records + 1] = pack(RECORD, s.record, s.proven, s.version, s.revision)
end

-- Writes a record, whose texts are with `K targets`. `what`: UNKNOWN to DELETED.
local function writeRecord(what, version, account, address, reason, credentials)
  s.record, s.version, s.revision = what, version, (s.revision + 1) % 4294967296
  noteRecord()
  local texts = pack(TARGET, #account, account, #address, address, #reason, reason)
  call('HSET', K .. 'targets', s.d, texts .. credentials)
end

-- The account, address, reason and credentials of a destination, or nothing.
local function readTarget(d)
  local text = call('HGET', K .. 'targets', d)
  if not text then return end
  local account, address, reason, at = parse(TARGET, text)
  return account, address, reason, sub(text, at)
end

local function setProven(proven)
  if s.proven == proven then return end
  s.proven = proven
  noteRecord()
end

-- The receiver answered 410. The set `gone` reports it to the store.
local function deactivate(reason)
  local account, address, _, credentials = readTarget(s.d)
  writeRecord(GONE, s.version, account, address, reason, credentials)
  call('SADD', K .. 'gone', s.d)
end
