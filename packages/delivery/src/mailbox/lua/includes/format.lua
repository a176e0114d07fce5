-- Checks the format of a record. A newer version of Mailhook may have written it (decision 0032).
--- @constants FORMAT
local function isNewer(v) return v and tonumber(v) > FORMAT end

local function refuseNewer(what, v)
  local reads = ', but this version of Mailhook reads the formats 1 to ' .. FORMAT
  return redis.error_reply('NEWERFORMAT ' .. what .. ' has format ' .. v .. reads .. '. A newer version must do this')
end
