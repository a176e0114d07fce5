-- The window: the frozen batches of a mailbox, oldest first. ../README.md describes an entry of it.
--- @include base
-- The number of batches in flight.
local function open(s)
  local n = 0
  for _, e in ipairs(s.win) do if e[6] == 0 then n = n + 1 end end
  return n
end

-- Removes settled batches. Of each lane, only the longest settled prefix can go, because the lane is a list.
local function trim(s)
  local cut, blocked, kept = { f = 0, u = 0 }, {}, {}
  for _, e in ipairs(s.win) do
    if e[6] == 1 and (e[2] == 'x' or not blocked[e[2]]) then
      if e[2] ~= 'x' then cut[e[2]] = cut[e[2]] + e[3] end
    else
      kept[#kept + 1] = e
      if e[2] ~= 'x' then blocked[e[2]] = true end
    end
  end
  if #kept < #s.win then s.win, s.changed = kept, true end
  for lane, n in pairs(cut) do if n > 0 then redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1) end end
end
