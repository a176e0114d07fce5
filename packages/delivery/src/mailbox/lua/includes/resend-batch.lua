-- A resend as a batch of a reply: {id, 'x', attempt, events, body, time, wid, step, refused, split, search, trace
-- contexts if it has some}. A batch of new events is shorter: {id, lane, attempt, events, entries}.
--- @include entries
local function resendOf(e)
  local key = K .. 'x:' .. e[1]
  local x = redis.call('HMGET', key, 'at', 'body', 'wid', 'step', 'refused', 'split', 'search', 'traces')
  redis.call('HSET', key, 'attempt', e[5])
  e[7] = #(x[2] or '')
  budget = budget - e[7]
  return {
    e[1], 'x', e[5], e[4], x[2] or '', x[1] or '',
    x[3] or '', x[4] or '0', x[5] or '0', x[6] or '', x[7] or '', x[8] or nil,
  }
end
