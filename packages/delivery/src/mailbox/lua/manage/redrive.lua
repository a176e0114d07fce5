-- Redrives a dead letter. A batch becomes a resend that is due now and keeps its number of attempts. Events that were
-- never sent return to their mailbox.
-- ARGV: dead letter, the new resend's id, an id of the run that redrives it, when that began (redrive-run.lua), or ''
-- for a run of this dead letter alone, and the events that the run had left before it took this page of dead letters.
-- Reply: 'redriven', 'gone' when the dead letter is not there, 'inactive' when its destination is inactive or deleted,
-- or 'stopped' when a person has stopped the run.
--- @include log
--- @include owner
--- @include redriven
--- @include resends
--- @include run
--- @constants DEAD_LETTERS_KEPT_MS
local key = K .. 'dl:' .. ARGV[1]
local fields = { 'destination', 'account', 'type', 'webhookId', 'body', 'acceptedAt', 'events', 'attempts', 'lane',
  'traces', 'time', 'shape' }
local l = {}
for i, value in ipairs(call('HMGET', key, unpack(fields))) do l[fields[i]] = value end
if not l.destination or tonumber(l.time) <= NOW - DEAD_LETTERS_KEPT_MS then return 'gone' end
open(l.destination)
if s.record ~= ACTIVE then return 'inactive' end
local events, wasSent, begun = tonumber(l.events), l.type == 'batch', tonumber(ARGV[4])
if begun and tonumber(call('HGET', P .. 'redriven:' .. l.account, 'stop') or 0) >= begun then return 'stopped' end

local function makeResend(id)
  local resend = K .. 'x:' .. id
  call('HSET', resend, 'destination', s.destination, 'webhookId', l.webhookId, 'step', 0, 'events', events,
    'attempt', l.attempts, 'error', '', 'body', l.body, 'acceptedAt', l.acceptedAt, 'shape', l.shape, 'redriven', 1)
  if l.traces then call('HSET', resend, 'traces', l.traces) end
  addResend(id)
  queueDue(id)
end

local function returnEntries()
  local from, to = K .. 'dlm:' .. ARGV[1], laneKey(l.lane)
  for at = 0, call('LLEN', from) - 1, 1000 do
    call('RPUSH', to, unpack(call('LRANGE', from, at, at + 999)))
  end
  call('DEL', from)
  local field = FIELD_OF[l.lane]
  s[field] = s[field] + events
end

local function noteWaiting()
  if not roomInLog() then return end
  local entries = wasSent and {} or call('LRANGE', K .. 'dlm:' .. ARGV[1], 0, -1)
  local sent = wasSent and sentOf(l.webhookId, { l.body }, l.traces) or sentOfEntries(entries)
  noteOutcome('waiting', l.account, l.attempts, sent)
end

run(function()
  noteWaiting()
  if begun then
    stepRun(l.account, ARGV[3], tonumber(ARGV[5]), events)
  else
    beginRun(l.account, ARGV[3], 0)
  end
  countRedriven(l.account, wasSent and 'events' or 'returned', events)
  if wasSent then makeResend(ARGV[2]) else returnEntries() end
  count(l.account, events, 0)
  local member = (CAMPAIGN and 'c' or 't') .. ARGV[1]
  call('DEL', key)
  call('ZREM', P .. 'dls', member)
  call('ZREM', P .. 'dls:' .. l.account, member)
  if s.pausedUntilMs <= NOW and (s.parkedUntilMs <= NOW or wasSent) then makeReady() end
  save()
end)
return 'redriven'
