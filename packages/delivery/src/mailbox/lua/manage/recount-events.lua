--- @flags allow-oom
-- Corrects a sum that counts events although no mailbox of the account is live. Half of a settle left it.
-- ARGV: account, destinations of it. More of them are looked for if none of these is live. Reply: the events that the
-- sum has counted too much.
--- @include sums
--- @constants LONG_FIELD
-- With more live mailboxes, the search would hold up other commands for too long.
local LIVE_MAX = 20000
local account, text = ARGV[1], call('HGET', P .. 'sums', ARGV[1])
local sums, bases = {}, { P .. 't:', P .. 'c:' }
if text then
  --- @parse SUMS sums text
end
if not text or sums.events == 0 then return 0 end

-- Whether one of the account's mailboxes is live, or may be.
local function mayBeLive(base)
  if call('HLEN', base .. 'live') > LIVE_MAX then return true end
  for i = 2, #ARGV do
    if call('HEXISTS', base .. 'live', ARGV[i]) == 1 then return true end
  end
  for _, destination in ipairs(call('HKEYS', base .. 'live')) do
    local stored = destination ~= LONG_FIELD and call('HGET', base .. 'targets', destination)
    -- A mailbox without a record, whose account is not known, gets one soon.
    if destination ~= LONG_FIELD and not stored then return true end
    if stored then
      local target, at = {}
      --- @parse TARGET target stored 1 at
      if target.account == account then return true end
    end
  end
  return false
end

if mayBeLive(bases[1]) or mayBeLive(bases[2]) then return 0 end
violation('sum-without-mailbox', account)
local hasDeadLetters = call('EXISTS', P .. 'dls:' .. account) == 1
count(account, -sums.events, hasDeadLetters and 0 or -sums.bytes)
writeSums()
return sums.events
