-- Begins a run that redrives dead letters of an account, ends it, or stops all runs of the account.
-- ARGV: account, 'begin', 'end', 'stop' or 'time', the id of the run, the events to redrive, and since when a stop also
-- stops this run, before its beginning too.
-- Reply: NOW, the time that redrive.lua compares with the time of a stop, or 0 when the run that begins is stopped.
--- @include redriven
local key, task, id = P .. 'redriven:' .. ARGV[1], ARGV[2], ARGV[3]
if task == 'stop' then
  call('HSET', key, 'stop', NOW)
  call('PEXPIRE', key, REDRIVEN_KEPT_MS)
elseif task == 'end' then
  noteLeft(key, id, 0)
elseif task == 'begin' then
  if tonumber(call('HGET', key, 'stop') or 0) >= (tonumber(ARGV[5]) or NOW) then return 0 end
  beginRun(ARGV[1], id, tonumber(ARGV[4]))
end
return NOW
