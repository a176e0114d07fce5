-- Changes a destination's record, and the parts of it that the state of its mailbox has.
--- @include state
local function noteRecord()
  records[#records + 1] = s.destination
  records[#records + 1] = --- @pack RECORD s
end

-- Writes a record. `what`: UNKNOWN to DELETED. `target`: what is with `K targets`.
local function writeRecord(what, target)
  s.record, s.revision = what, (s.revision + 1) % 4294967296
  noteRecord()
  local text = --- @pack TARGET target
  call('HSET', K .. 'targets', s.destination, text)
end

-- What is with `K targets` of a destination, or nothing.
local function readTarget(destination)
  local text = call('HGET', K .. 'targets', destination)
  if not text then return end
  local target, at = {}
  --- @parse TARGET target text 1 at
  return target
end

local function setProven(isProven)
  if s.isProven == isProven then return end
  s.isProven = isProven
  noteRecord()
end

-- The receiver answered 410. The set `gone` reports it to the store.
local function deactivate(reason)
  local target = readTarget(s.destination)
  target.reason = reason
  writeRecord(GONE, target)
  call('SADD', K .. 'gone', s.destination)
end
