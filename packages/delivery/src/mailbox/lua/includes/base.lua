-- The keys of one mechanism and shard. K is the mechanism's prefix, P the prefix that both mechanisms of the shard
-- share. "The keys" in ../README.md lists what lies behind each prefix.
-- KEYS: K, P.
local K, P = KEYS[1], KEYS[2]
local CAMPAIGN = string.sub(K, -2) == 'c:'
