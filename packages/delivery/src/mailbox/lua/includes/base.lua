-- What every command has: its arguments, and the keys of one mechanism and shard. K is the mechanism's prefix, P the
-- prefix that both mechanisms of the shard share. "The keys" in ../README.md lists what lies behind each prefix.
local ARGV, K, P, CAMPAIGN
-- A local is found faster than a global, and a library that is being loaded has no globals.
local call, pack, parse, sub, find, min, max
-- The library stays in memory. So an include whose values belong to one call sets them anew in `onCall`.
local resets = {}
local function onCall(reset) resets[#resets + 1] = reset end

-- Defines a command. KEYS: K, P.
local function command(name, flags, run)
  local function callback(keys, args)
    ARGV, K, P = args, keys[1], keys[2]
    call, pack, parse, sub, find = redis.call, struct.pack, struct.unpack, string.sub, string.find
    min, max = math.min, math.max
    CAMPAIGN = sub(K, -2) == 'c:'
    for i = 1, #resets do resets[i]() end
    return run()
  end
  redis.register_function({ function_name = name, callback = callback, flags = flags })
end
