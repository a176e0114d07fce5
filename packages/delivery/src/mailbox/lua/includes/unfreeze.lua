-- Empties the window of a destination that gives up its events. Batches of an earlier owner are not sent.
--- @include accounts
--- @include contents
--- @include entries
--- @include format
--- @constants KEPT_TRACES_MAX, TRACE_SEPARATOR
-- Turns a frozen batch in flight into a due resend. It may have arrived, so its webhook-id, content and attempts stay.
local function keepFrozen(s, e, elements)
  local texts, traces, seen = {}, {}, {}
  for i, element in ipairs(elements) do
    local marked = string.sub(element, 13, 13) == '~'
    texts[i] = string.sub(element, marked and 69 or 13)
    local context = marked and string.sub(element, 14, 68)
    if context and not seen[context] and #traces < KEPT_TRACES_MAX then
      seen[context] = true
      traces[#traces + 1] = context
    end
  end
  local body, key = table.concat(texts, '\n'), K .. 'x:' .. e[1]
  hold(s.account, #body - (e[7] or #body))
  local wid = CAMPAIGN and 'msg_' .. e[1] or string.match(body, '^[^\n]*')
  local at = string.sub(elements[1] or '', 1, 8)
  redis.call('HSET', key, 'dest', s.d, 'wid', wid, 'step', 0, 'refused', 1, 'split', '', 'events', e[4],
    'attempt', e[5], 'error', 'its worker ended while it was in flight', 'body', body, 'at', at, 'v', FORMAT)
  if #traces > 0 then redis.call('HSET', key, 'traces', table.concat(traces, TRACE_SEPARATOR)) end
  redis.call('SADD', K .. 'xs:' .. s.d, e[1])
  queueDue(s, e[1])
end

local function unfreeze(s)
  local at = { f = 0, u = 0 }
  for _, e in ipairs(s.win) do
    local lane = e[2]
    if lane == 'x' then
      if e[6] == 0 then queueDue(s, e[1]) end
    else
      if e[6] == 0 then keepFrozen(s, e, read(s, lane, at[lane], e[3])) end
      at[lane] = at[lane] + e[3]
    end
  end
  for lane, n in pairs(at) do if n > 0 then redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1) end end
  s.win, s.changed = {}, true
end
