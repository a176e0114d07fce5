-- Sends frozen batches again, after another owner or a lost reply.
--- @include resend-batch
-- Batches of an earlier owner, or of a lost reply. Their attempt grows by one. `known`: ids that the caller still has.
local function reopen(s, out, known)
  local at = { f = 0, u = 0 }
  for _, e in ipairs(s.win) do
    if e[6] == 0 and not known[e[1]] then
      e[5] = e[5] + 1
      s.changed = true
      if e[2] == 'x' then
        out[#out + 1] = resendOf(e)
      else
        out[#out + 1] = { e[1], e[2], e[5], e[4], read(s, e[2], at[e[2]], e[3]) }
      end
    end
    if e[2] ~= 'x' then at[e[2]] = at[e[2]] + e[3] end
  end
end
