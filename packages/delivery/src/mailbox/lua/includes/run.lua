-- Runs the work of a command and writes what it has changed.
--- @include state
--- @include sums
-- Calls a command on a hash of `K` with many arguments, at most 6,000 at once.
local function bulk(name, hash, list)
  for from = 1, #list, 6000 do call(name, K .. hash, unpack(list, from, min(#list, from + 5999))) end
end

-- Writes also if `work` fails, because Redis keeps the writes of a call that fails.
local function run(work)
  local isDone, failure = pcall(work)
  local live, ended = {}, {}
  for _, destination in ipairs(order) do
    if pending[destination] then
      live[#live + 1] = destination
      live[#live + 1] = pending[destination]
    else
      ended[#ended + 1] = destination
    end
  end
  bulk('HDEL', 'live', ended)
  bulk('HSET', 'live', live)
  bulk('HDEL', 'heads', headless)
  bulk('HSET', 'heads', heads)
  bulk('HSET', 'records', records)
  writeSums()
  if not isDone then error(failure, 0) end
end
