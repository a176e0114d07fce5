-- Replaces the oldest rows of an account's delivered attempts by a block of them, if they are still the same. Then it
-- removes the oldest blocks of the account and of all accounts beyond their limits (`record/row-packer.ts`).
-- ARGV: account, number of rows, their version (`add-rows`), block, most blocks and bytes of the account, most bytes of
-- the shard, how long blocks are kept (ms).
--- @include clock
--- @include blocks
--- @constants BLOCK_OVERHEAD_BYTES, BLOCKS_DROPPED_AT_ONCE, LOGGED_ROWS_KEPT
local SHARES, OLDEST, ALL = P .. 'blocks', P .. 'blocks-oldest', ''
local account, taken, lifetimeMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[8])

local function blocksOf(name) return attemptsOf(name) .. ':packed' end

local function shareOf(name)
  local text, share = call('HGET', SHARES, name), { bytes = 0, missingUntilMs = 0, first = 0, following = 0 }
  if text then
    --- @parse BLOCKS share text
  end
  return share
end

local function saveShare(name, share)
  local text = --- @pack BLOCKS share
  call('HSET', SHARES, name, text)
end

-- Blocks that expired or were deleted as a whole count until the account is found to have none.
local function saveBlocks(name, share, all)
  local block = call('HGET', blocksOf(name), share.first)
  if block then
    call('ZADD', OLDEST, parse('>I6', block), name)
    return saveShare(name, share)
  end
  all.bytes = all.bytes - share.bytes
  call('ZREM', OLDEST, name)
  call('HDEL', SHARES, name)
end

-- `blamed`: whose limit it is.
local function dropOldest(name, share, all, blamed)
  local blocks = blocksOf(name)
  local block = call('HGET', blocks, share.first)
  if not block then return end
  call('HDEL', blocks, share.first)
  share.first = share.first + 1
  local size, atMs = #block + BLOCK_OVERHEAD_BYTES, parse('>I6', block)
  share.bytes, all.bytes = share.bytes - size, all.bytes - size
  if atMs > NOW - lifetimeMs then blamed.missingUntilMs = max(blamed.missingUntilMs, atMs) end
end

local rowsKey, blocksKey = attemptsOf(account) .. ':delivered', blocksOf(account)
if call('LLEN', rowsKey) < taken or rowsVersion(account) ~= ARGV[3] then return 0 end
local share, all = shareOf(account), shareOf(ALL)
call('LTRIM', rowsKey, 0, -taken - 1)
if call('EXISTS', blocksKey) == 0 then
  all.bytes, share.bytes, share.first = all.bytes - share.bytes, 0, share.following
end
call('HSET', blocksKey, share.following, ARGV[4])
call('PEXPIRE', blocksKey, lifetimeMs)
share.following = share.following + 1
local size = #ARGV[4] + BLOCK_OVERHEAD_BYTES
share.bytes, all.bytes = share.bytes + size, all.bytes + size
local mostBlocks, mostBytes = tonumber(ARGV[5]), tonumber(ARGV[6])
-- The outcomes of the event log are the rows of older attempts. Blocks of long rows have fewer of them.
if call('HEXISTS', P .. 'log:state', 'max') == 1 then mostBlocks = math.ceil(LOGGED_ROWS_KEPT / taken) end
while share.following - share.first > 1 and
  (share.following - share.first > mostBlocks or share.bytes > mostBytes) do
  dropOldest(account, share, all, share)
end
saveBlocks(account, share, all)
for _ = 1, BLOCKS_DROPPED_AT_ONCE do
  local name, atMs = unpack(call('ZRANGE', OLDEST, 0, 0, 'WITHSCORES'))
  local isOld = atMs and tonumber(atMs) <= NOW - lifetimeMs
  if not name or not (isOld or all.bytes > tonumber(ARGV[7])) then break end
  local other = shareOf(name)
  dropOldest(name, other, all, all)
  saveBlocks(name, other, all)
end
saveShare(ALL, all)
return 1
