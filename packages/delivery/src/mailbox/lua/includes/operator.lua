-- What operators do with a destination. Each command loads the mailbox, changes it, and leaves the rest to the worker
-- that takes the destination next: that worker parks what is paused (and adds the job that ends the pause), sends the
-- probe, or gives up the events.
-- ARGV[1]: destination. Reply: 'unknown' (no record, or deleted), 'inactive', or what each command says.
--- @include clock
--- @include mailbox
--- @include ready

-- Returns the mailbox, or nil and the reply.
local function loadForOperator()
  local s = load(ARGV[1])
  if not s.known or s.deleted then return nil, 'unknown' end
  return s
end
