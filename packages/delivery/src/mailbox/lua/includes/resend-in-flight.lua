-- Sends the batches in flight of an earlier owner, or of a lost reply, again.
--- @include resend-batch
--- @include window
-- Adds the batches to `out`. The attempt of each grows by one. `known`: ids of the batches that the caller still has.
local function resendInFlight(s, out, known)
  local at = { f = 0, u = 0 }
  for _, batch in ipairs(s.win) do
    local id, lane, entries = batch[ID], batch[LANE], batch[ENTRIES]
    if batch[SETTLED] == 0 and not known[id] then
      batch[ATTEMPT] = batch[ATTEMPT] + 1
      s.changed = true
      if lane == 'x' then
        out[#out + 1] = resendOf(batch)
      else
        out[#out + 1] = { id, lane, batch[ATTEMPT], batch[EVENTS], read(s, lane, at[lane], entries) }
      end
    end
    if lane ~= 'x' then at[lane] = at[lane] + entries end
  end
end
