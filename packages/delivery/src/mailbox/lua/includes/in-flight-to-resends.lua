-- Empties the window of a destination that gives up its events. An earlier owner's batches in flight become resends,
-- which are given up instead of sent.
--- @include accounts
--- @include contents
--- @include entries
--- @include window
--- @constants KEPT_TRACES_MAX, TRACE_SEPARATOR
-- Turns a frozen batch in flight into a due resend. It may have arrived, so its webhook-id, content and attempts stay.
local function turnIntoResend(s, batch, entries)
  local id = batch[ID]
  local texts, traces, seen = {}, {}, {}
  for i, entry in ipairs(entries) do
    local marked = string.sub(entry, 13, 13) == '~'
    texts[i] = string.sub(entry, marked and 69 or 13)
    local context = marked and string.sub(entry, 14, 68)
    if context and not seen[context] and #traces < KEPT_TRACES_MAX then
      seen[context] = true
      traces[#traces + 1] = context
    end
  end
  local body, key = table.concat(texts, '\n'), K .. 'x:' .. id
  addAccountBytes(s.account, #body - batch[BYTES])
  local wid = CAMPAIGN and 'msg_' .. id or string.match(body, '^[^\n]*')
  local at = string.sub(entries[1] or '', 1, 8)
  redis.call('HSET', key, 'dest', s.d, 'wid', wid, 'step', 0, 'events', batch[EVENTS],
    'attempt', batch[ATTEMPT], 'error', 'its worker ended while it was in flight', 'body', body, 'at', at)
  if #traces > 0 then redis.call('HSET', key, 'traces', table.concat(traces, TRACE_SEPARATOR)) end
  redis.call('SADD', K .. 'xs:' .. s.d, id)
  queueDue(s, id)
end

local function inFlightToResends(s)
  local at = { f = 0, u = 0 }
  for _, batch in ipairs(s.win) do
    local lane = batch[LANE]
    if lane == 'x' then
      if batch[SETTLED] == 0 then queueDue(s, batch[ID]) end
    else
      if batch[SETTLED] == 0 then turnIntoResend(s, batch, read(s, lane, at[lane], batch[ENTRIES])) end
      at[lane] = at[lane] + batch[ENTRIES]
    end
  end
  for lane, n in pairs(at) do if n > 0 then redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1) end end
  s.win, s.changed = {}, true
end
