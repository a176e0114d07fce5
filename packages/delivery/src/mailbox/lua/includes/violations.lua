-- What cannot be, unless Redis ran half of a command or somebody changed its keys. It is noted for the next heartbeat,
-- whose worker logs and counts it.
--- @include base
local VIOLATIONS_MAX = 100

-- `what`: one of VIOLATIONS in ../../../record/metrics.ts. `name`: the destination or account.
local function violation(what, name)
  call('LPUSH', K .. 'violations', what .. ' ' .. name)
  call('LTRIM', K .. 'violations', 0, VIOLATIONS_MAX - 1)
end

local function takeViolations() return call('LPOP', K .. 'violations', VIOLATIONS_MAX) or {} end
