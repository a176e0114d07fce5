-- The progress of redriven dead letters, per account. It is kept for a day after its last change.
--- @include base
--- @constants REDRIVEN_KEPT_MS
-- `field`: 'delivered', 'failed' (dead letters again), 'returned' (put back into their mailbox) or 'events' (all that
-- were made resends). A resend of a dead letter has the field `redriven`, and so have the resends that come of it.
local function countRedriven(account, field, events)
  local key = P .. 'redriven:' .. account
  if events == 0 or call('EXISTS', key) == 0 then return end
  call('HINCRBY', key, field, events)
  call('PEXPIRE', key, REDRIVEN_KEPT_MS)
end
