-- Begins a run that redrives dead letters of an account, ends it, or stops all runs of the account.
-- ARGV: account, id of the run ('' to stop), events to redrive (less than 0: events that it left out, at its end).
-- Reply: NOW, the time of its beginning, which redrive.lua compares with the time of a stop.
--- @include redriven
if ARGV[2] ~= '' then
  countRun(ARGV[1], ARGV[2], tonumber(ARGV[3]))
elseif call('EXISTS', P .. 'redriven:' .. ARGV[1]) == 1 then
  call('HSET', P .. 'redriven:' .. ARGV[1], 'stop', NOW)
end
return NOW
