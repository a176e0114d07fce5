-- Producers' ids that were claimed, as digests in small hashes, which Redis packs (listpacks): decision 0094.
--
-- A bucket is a hash: digest -> the period in which its id was claimed. A period is a third of the time that ids are
-- promised, and an id is known for three periods after its own. Each period, claims and heartbeats search every bucket
-- once for expired ids.
--
-- There are as many buckets as the ids need, by linear hashing: a bucket is added at the end and takes half of an
-- earlier one, or the last one is merged into it. So a bucket has up to twice IDS_PER_BUCKET ids, for any number of
-- them. Redis keeps the writes of a call that breaks off, for example because the slot moves to another node. So ids
-- are copied before the number of buckets changes, and removed after that.
--- @include clock
--- @constants IDS_PER_BUCKET, SWEPT_AT_ONCE
-- Numbers of periods begin again. Redis packs a number below 128 in the space of an empty text.
local PERIODS = 128
local PERIODS_KNOWN = 3
-- The largest share of unused room. Below, buckets are merged.
local UNUSED_MAX = 0.25
-- The fields of `P ids`, and `span`, the next power of two above the number of buckets.
local idTable

local function setBuckets(buckets)
  local _, exponent = math.frexp(buckets)
  idTable.buckets, idTable.span = buckets, 2 ^ exponent
end

local function bucketKey(bucket) return P .. 'ids:' .. bucket end

-- A digest begins with the number that decides its bucket.
local function bucketOf(digest)
  local bucket = parse('>I4', digest) % idTable.span
  if bucket >= idTable.buckets then bucket = bucket - idTable.span / 2 end
  return bucketKey(bucket)
end

local function isExpired(period) return (idTable.period - period) % PERIODS > PERIODS_KNOWN end

-- Returns whether there are any.
local function readIds()
  local text = call('GET', P .. 'ids')
  if not text then return false end
  idTable = {}
  --- @parse ID_TABLE idTable text
  setBuckets(idTable.buckets)
  return true
end

local function writeIds()
  call('SET', P .. 'ids', --- @pack ID_TABLE idTable
  )
end

-- Calls a command on a bucket with many arguments.
local function onBucket(name, key, list)
  for from = 1, #list, 2000 do call(name, key, unpack(list, from, min(#list, from + 1999))) end
end

local function addBucket()
  local bucket, span = idTable.buckets, idTable.span
  local source, key, copied, moved = bucketKey(bucket - span / 2), bucketKey(bucket), {}, {}
  local fields = call('HGETALL', source)
  for i = 1, #fields, 2 do
    if parse('>I4', fields[i]) % span == bucket then
      moved[#moved + 1] = fields[i]
      copied[#copied + 1], copied[#copied + 2] = fields[i], fields[i + 1]
    end
  end
  -- An earlier call may have broken off.
  call('DEL', key)
  onBucket('HSET', key, copied)
  setBuckets(bucket + 1)
  writeIds()
  onBucket('HDEL', source, moved)
end

local function mergeLastBucket()
  local last, kept = bucketKey(idTable.buckets - 1), {}
  local fields = call('HGETALL', last)
  for i = 1, #fields, 2 do
    if isExpired(fields[i + 1]) then
      idTable.ids = idTable.ids - 1
    else
      kept[#kept + 1], kept[#kept + 2] = fields[i], fields[i + 1]
    end
  end
  setBuckets(idTable.buckets - 1)
  onBucket('HSET', bucketKey(idTable.buckets - idTable.span / 2), kept)
  writeIds()
  call('DEL', last)
end

local function sweepBucket(bucket)
  local key, expired = bucketKey(bucket), {}
  local fields = call('HGETALL', key)
  for i = 1, #fields, 2 do
    if isExpired(fields[i + 1]) then expired[#expired + 1] = fields[i] end
  end
  onBucket('HDEL', key, expired)
  idTable.ids = max(0, idTable.ids - #expired)
end

-- Searches the buckets that are due for expired ids, at most `most`. The next period begins when this one is over and
-- all are searched. So an id that has expired is gone before the numbers of periods begin again.
local function sweepIds(most)
  -- The clock may have gone back, or the setting may have been longer before.
  idTable.periodEndsAtMs = min(idTable.periodEndsAtMs, NOW + idTable.periodMs)
  local over = 1 - (idTable.periodEndsAtMs - NOW) / idTable.periodMs
  local till = min(idTable.buckets * over, idTable.swept + most)
  if idTable.swept >= till and over < 1 then return end
  while idTable.swept < till and idTable.swept < idTable.buckets do
    sweepBucket(idTable.swept)
    idTable.swept = idTable.swept + 1
    local room = (idTable.buckets - 1) * IDS_PER_BUCKET
    if idTable.ids < room * (1 - UNUSED_MAX) then mergeLastBucket() end
  end
  if over >= 1 and idTable.swept >= idTable.buckets then
    idTable.period, idTable.periodEndsAtMs, idTable.swept = (idTable.period + 1) % PERIODS, NOW + idTable.periodMs, 0
  end
  writeIds()
end

-- For heartbeats.
local function expireIds(most)
  if not readIds() then return end
  if idTable.buckets == 1 and call('EXISTS', bucketKey(0)) == 0 then return call('DEL', P .. 'ids') end
  sweepIds(most)
end

-- Reads the ids, and makes room for more.
local function openIds(windowMs, moreIds)
  local periodMs = math.ceil(windowMs / PERIODS_KNOWN)
  if not readIds() then
    idTable = { period = 0, periodEndsAtMs = NOW + periodMs, swept = 0, ids = 0 }
    setBuckets(1)
  end
  idTable.periodMs = periodMs
  sweepIds(SWEPT_AT_ONCE)
  while idTable.buckets * IDS_PER_BUCKET < idTable.ids + moreIds do addBucket() end
end

-- Claims an id and returns the key of its bucket, or returns nil if it is known.
local function claimId(digest)
  local key = bucketOf(digest)
  if call('HSETNX', key, digest, idTable.period) == 0 then
    if not isExpired(call('HGET', key, digest)) then return nil end
    call('HSET', key, digest, idTable.period)
    idTable.ids = idTable.ids - 1
  end
  idTable.ids = idTable.ids + 1
  return key
end
