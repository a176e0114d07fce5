-- A resend as a batch of a reply: {id, 'x', attempt, events, body, time, wid, step, search, trace contexts if it has
-- some}. A batch of new events is shorter: {id, lane, attempt, events, entries}.
--- @include entries
--- @include window
local function resendOf(batch)
  local key = K .. 'x:' .. batch[ID]
  local x = redis.call('HMGET', key, 'at', 'body', 'wid', 'step', 'search', 'traces')
  redis.call('HSET', key, 'attempt', batch[ATTEMPT])
  batch[BYTES] = #(x[2] or '')
  budget = budget - batch[BYTES]
  return {
    batch[ID], 'x', batch[ATTEMPT], batch[EVENTS], x[2] or '', x[1] or '', x[3] or '', x[4] or '0', x[5] or '',
    x[6] or nil,
  }
end
