--- @flags allow-oom
-- Takes mailboxes that wait for a worker, and freezes their first batches.
--
-- ARGV: worker, first claim number, most proven destinations, most others, 1 to begin with the others, batch max, most
-- batches in flight, longest wait of an event in ms.
-- Reply: {NOW, claims, targets of the claimed, proven destinations that still wait, others that do}. A claim:
-- destination, then as includes/finish.lua says.
--- @include finish
--- @include records
--- @include run
local AT_ONCE = 24
local w, claims, batchMax, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[6]), tonumber(ARGV[7])
local claimed = {}
setMaxAge(tonumber(ARGV[8]))

local function take(destination, text, first)
  load(destination, text)
  if s.status ~= READY then return end
  if s.hasHead then s.head = first end
  replies[#replies + 1], claimed[#claimed + 1] = destination, destination
  claimAndServe(w .. '_' .. (claims + #claimed - 1), most, batchMax)
  -- An entry that was split, or a batch that became a resend, has other bytes. The record knows the account.
  if s.freed ~= 0 or s.found ~= 0 then
    local target = readTarget(destination)
    if target then count(target.account, s.found, s.freed) end
  end
end

local function takeFrom(list, n)
  while n > 0 and budget > 0 do
    local some = call('LPOP', K .. list, min(n, AT_ONCE))
    if not some then return end
    local states = call('HMGET', K .. 'live', unpack(some))
    local firsts = call('HMGET', K .. 'heads', unpack(some))
    for i, destination in ipairs(some) do
      -- What the call may not return goes back to the front.
      if budget <= 0 then
        for rest = #some, i, -1 do call('LPUSH', K .. list, some[rest]) end
        return
      end
      local text = pending[destination]
      if text == nil then text = states[i] end
      if text then take(destination, text, firsts[i]) end
    end
    n = n - #some
  end
end

if mayClaim(w) then
  run(function()
    if ARGV[5] == '1' then takeFrom('ready', tonumber(ARGV[4])) end
    takeFrom('proven', tonumber(ARGV[3]))
    if ARGV[5] ~= '1' then takeFrom('ready', tonumber(ARGV[4])) end
  end)
end
local texts = #claimed > 0 and call('HMGET', K .. 'targets', unpack(claimed)) or {}
return { NOW, replies, texts, call('LLEN', K .. 'proven'), call('LLEN', K .. 'ready') }
