-- Empties the window of a mailbox that gives up its events. An earlier owner's batches in flight become resends, which
-- are given up instead of sent.
--- @include resends
--- @constants KEPT_TRACES_MAX, TRACE_SEPARATOR
-- Turns a frozen batch in flight into a due resend. It may have arrived, so its webhook-id, content and attempts stay.
local function turnIntoResend(b, entries)
  local texts, traces, seen = {}, {}, {}
  for i, entry in ipairs(entries) do
    local isMarked = sub(entry, 13, 13) == '~'
    texts[i] = sub(entry, isMarked and 69 or 13)
    local context = isMarked and sub(entry, 14, 68)
    if context and not seen[context] and #traces < KEPT_TRACES_MAX then
      seen[context] = true
      traces[#traces + 1] = context
    end
  end
  local body, key = table.concat(texts, '\n'), K .. 'x:' .. b.id
  s.freed = s.freed + #body - b.bytes
  -- A notification of version 1 begins with its webhook-id.
  local webhookId = string.match(body, '^%l+_[^\n]*') or 'msg_' .. b.id
  call('HSET', key, 'destination', s.destination, 'webhookId', webhookId, 'step', 0, 'events', b.events,
    'attempt', b.attempt, 'error', 'its worker ended while it was in flight', 'body', body,
    'acceptedAt', sub(entries[1] or '', 1, 8), 'shape', b.shape)
  if #traces > 0 then call('HSET', key, 'traces', table.concat(traces, TRACE_SEPARATOR)) end
  addResend(b.id)
  queueDue(b.id)
end

local function inFlightToResends()
  local at = { f = 0, u = 0, r = 0 }
  for i = 1, s.batches do
    local b = s.window[i]
    if b.lane == 'x' then
      if not b.isSettled then queueDue(b.id) end
    else
      if not b.isSettled then turnIntoResend(b, read(b.lane, at[b.lane], b.entries)) end
      at[b.lane] = at[b.lane] + b.entries
    end
  end
  removeFirst('f', at.f)
  removeFirst('u', at.u)
  removeFirst('r', at.r)
  s.batches = 0
end
