-- What operators do with a destination. Each command changes the mailbox and leaves the rest to the worker that takes
-- it next: that worker parks what is paused (and adds the job that ends the pause), sends the probe, or gives up the
-- events.
-- ARGV[1]: destination. Reply: 'unknown' (no record, or deleted), 'inactive', or what each command says.
--- @include run
--- @include owner
--- @include resends
--- @constants BY_CUSTOMER, BY_OPERATOR
-- `act` changes the mailbox and returns the reply, and true to make it ready.
local function operate(act)
  open(ARGV[1])
  if s.record == UNKNOWN or s.record == DELETED then return 'unknown' end
  if s.record ~= ACTIVE then return 'inactive' end
  local answer, mayStart = act()
  if mayStart then
    run(function()
      makeReady()
      save()
    end)
  end
  return answer
end

local function isHeldByOperator(by)
  return by == 'customer' and s.pausedUntilMs > NOW and s.pausedBy == BY_OPERATOR
end
