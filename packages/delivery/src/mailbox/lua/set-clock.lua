--- @flags allow-oom
-- Ends a gap of the clock, once. ARGV: `P clock` as the worker has read it, Redis's time then, the new shift.
-- Reply: 1 when done, 0 when another worker was faster or Redis's clock is in another gap.
--- @include clock
if STORED_CLOCK ~= ARGV[1] or math.abs(RAW - tonumber(ARGV[2])) > GAP_MS then return 0 end
redis.call('SET', P .. 'clock', RAW .. ' ' .. ARGV[3])
return 1
