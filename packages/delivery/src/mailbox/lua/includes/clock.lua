-- Defines NOW, Redis's time in Unix milliseconds, which all commands use.
--- @include base
local NOW
onCall(function()
  local time = call('TIME')
  NOW = time[1] * 1000 + math.floor(time[2] / 1000)
end)
