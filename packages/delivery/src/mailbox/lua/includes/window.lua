-- The window: the frozen batches of a mailbox, oldest first. ../README.md describes a batch in it.
--- @include base
-- The positions of a batch's values.
local ID, LANE, ENTRIES, EVENTS, ATTEMPT, SETTLED, BYTES = 1, 2, 3, 4, 5, 6, 7

local function countInFlight(s)
  local n = 0
  for _, batch in ipairs(s.win) do if batch[SETTLED] == 0 then n = n + 1 end end
  return n
end

-- Removes settled batches. Of each lane, only the longest settled prefix can go, because the lane is a list.
local function trim(s)
  local cut, blocked, kept = { f = 0, u = 0 }, {}, {}
  for _, batch in ipairs(s.win) do
    local lane = batch[LANE]
    if batch[SETTLED] == 1 and (lane == 'x' or not blocked[lane]) then
      if lane ~= 'x' then cut[lane] = cut[lane] + batch[ENTRIES] end
    else
      kept[#kept + 1] = batch
      if lane ~= 'x' then blocked[lane] = true end
    end
  end
  if #kept < #s.win then s.win, s.changed = kept, true end
  for lane, n in pairs(cut) do if n > 0 then redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1) end end
end
