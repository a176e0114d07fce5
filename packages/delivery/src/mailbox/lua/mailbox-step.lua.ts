import { KEPT_TRACES_MAX, TRACE_SEPARATOR } from '../replies.ts';

/** The begin of a drain's step (after another owner or a lost reply) and its end. Follows `mailbox-freeze.lua.ts`. */
export const STEP_LUA = `
-- Turns a batch that was frozen and not settled into a due resend. The batch may have arrived, so its webhook-id, content and attempts stay.
local function keepFrozen(s, e, elements)
  local texts, traces, seen = {}, {}, {}
  for i, element in ipairs(elements) do
    local marked = string.sub(element, 13, 13) == '~'
    texts[i] = string.sub(element, marked and 69 or 13)
    local context = marked and string.sub(element, 14, 68)
    if context and not seen[context] and #traces < ${KEPT_TRACES_MAX} then
      seen[context] = true
      traces[#traces + 1] = context
    end
  end
  local body, key = table.concat(texts, '\\n'), K .. 'x:' .. e[1]
  hold(s.account, #body - (e[7] or #body))
  local wid = CAMPAIGN and 'msg_' .. e[1] or string.match(body, '^[^\\n]*')
  redis.call('HSET', key, 'dest', s.d, 'wid', wid, 'step', 0, 'refused', 1, 'split', '', 'events', e[4], 'attempt', e[5], 'error', 'its worker ended while it was in flight',
    'body', body, 'at', string.sub(elements[1] or '', 1, 8), 'v', FORMAT)
  if #traces > 0 then redis.call('HSET', key, 'traces', table.concat(traces, '${TRACE_SEPARATOR}')) end
  redis.call('SADD', K .. 'xs:' .. s.d, e[1])
  queueDue(s, e[1])
end

-- Empties the window of a destination that gives up its events. Batches of an earlier owner are not sent.
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

-- Returns batches of an earlier owner, or of a lost reply, again. Their attempt grows by one.
local function reopen(s, out, known)
  local at = { f = 0, u = 0 }
  for _, e in ipairs(s.win) do
    if e[6] == 0 and not known[e[1]] then
      e[5] = e[5] + 1
      s.changed = true
      if e[2] == 'x' then
        out[#out + 1] = resendOf(s, e)
      else
        out[#out + 1] = { e[1], e[2], e[5], e[4], read(s, e[2], at[e[2]], e[3]) }
      end
    end
    if e[2] ~= 'x' then at[e[2]] = at[e[2]] + e[3] end
  end
end

-- Ends a step: releases or parks the destination, or continues. Saves the state and returns the reply.
local function finish(s, leaving, out)
  local status = 'ok'
  local token = s.owner
  local till = s.bu
  if open(s) == 0 then
    local mail, due = holdsMail(s), holdsDue(s)
    local paused = s.active and s.paused > NOW
    if s.newer then
      disown(s)
      setAside(s)
      status = 'left'
    elseif s.known and (not s.active or s.drop > 0) and (mail or due or redis.call('SCARD', K .. 'xs:' .. s.d) > 0) then
      status = 'purge'
    elseif not s.deleted and (paused or (s.bu > NOW and not due)) then
      -- Parked even without events, so that the probe's job exists when events arrive.
      disown(s)
      if paused then till = s.paused end
      redis.call('ZADD', K .. 'parked', till, s.d)
      if not mail then redis.call('ZREM', K .. 'busy', s.d) end
      status = 'parked'
    elseif not mail and not due then
      disown(s)
      redis.call('ZREM', K .. 'busy', s.d)
      if s.deleted then redis.call('EXPIRE', K .. 'd:' .. s.d, 604800) end
      if s.drop > 0 then forget(s, 'drop') end
      s.ef, s.eu = 0, 0
      status = 'idle'
    elseif not s.known then
      disown(s)
      status = 'unknown'
    elseif s.expired then
      status = 'expired'
    elseif leaving then
      disown(s)
      queueReady(s)
      status = 'left'
    else
      -- After lost writes the counters may differ from the lists, and events in the lists must be found.
      if s.ef + s.eu == 0 then s.ef, s.eu = redis.call('LLEN', K .. 'f:' .. s.d), redis.call('LLEN', K .. 'u:' .. s.d) end
      status = 'again'
    end
  end
  save(s)
  local reply = { s.d, status, token }
  if status ~= 'idle' then reply[4], reply[5], reply[6] = s.bf, s.bp, remaining(till) end
  if #out > 0 then
    reply[7], reply[8], reply[9], reply[10], reply[11], reply[12] = s.address, s.version, s.secrets, s.account, s.size, s.proven and 1 or 0
    for _, b in ipairs(out) do reply[#reply + 1] = b end
  end
  return reply
end

local function serve(s, window, most, max, out, leaving)
  if s.known and s.active and not leaving then freeze(s, window, most, max, out) end
  return finish(s, leaving, out)
end

-- Puts a destination on a ready list, because a resend is due ('' for none), a parking has ended, or the reconciler found the destination.
-- Workers' clocks delay the jobs. A job that is too early by Redis's clock does nothing, so that a fast clock cannot skip the schedule. A heartbeat
-- then does its work in time.
local EARLY_MS = 1000
local function wake(d, id)
  if id ~= '' then
    local due = redis.call('ZSCORE', K .. 'due', id)
    if not due or tonumber(due) > NOW + EARLY_MS then return 0 end
  end
  local s = load(d)
  -- Its times stay in the lists, where a heartbeat of a newer worker finds them.
  if s.newer then return 0 end
  if id ~= '' then
    redis.call('ZREM', K .. 'due', id)
    redis.call('RPUSH', K .. 'q:' .. d, id)
  end
  if s.owner ~= '' or s.ready or not s.known then
    redis.call('ZREM', K .. 'parked', d)
    return 0
  end
  if s.active and s.drop == 0 and #s.win == 0 then
    local till = (s.paused > NOW or not holdsDue(s)) and math.max(s.bu, s.paused) or 0
    if till > NOW + EARLY_MS then
      redis.call('ZADD', K .. 'parked', 'NX', till, d)
      return 0
    end
  end
  -- Paused. The end of the pause wakes the destination.
  if id ~= '' and s.active and s.paused > NOW then return 0 end
  if s.paused <= NOW and #s.win == 0 and not holdsMail(s) and not holdsDue(s) and (s.active or redis.call('SCARD', K .. 'xs:' .. d) == 0) then
    redis.call('ZREM', K .. 'busy', d)
    redis.call('ZREM', K .. 'parked', d)
    return 0
  end
  queueReady(s)
  save(s)
  return 1
end
`;
