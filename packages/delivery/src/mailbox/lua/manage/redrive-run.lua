-- Begins a run that redrives dead letters of an account, ends it, or stops all runs of the account.
-- ARGV: account, id of the run ('' to stop), events to redrive ('' ends the run).
-- Reply: NOW, the time of its beginning, which redrive.lua compares with the time of a stop.
--- @include redriven
local key = P .. 'redriven:' .. ARGV[1]
if ARGV[2] == '' then
  if call('EXISTS', key) == 1 then call('HSET', key, 'stop', NOW) end
elseif ARGV[3] == '' then
  noteLeft(key, ARGV[2], 0)
else
  beginRun(ARGV[1], ARGV[2], tonumber(ARGV[3]))
end
return NOW
