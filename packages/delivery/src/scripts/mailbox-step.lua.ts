/** How a step of a drain begins (after another owner, or a lost reply) and ends. Follows `mailbox-freeze.lua.ts`. */
export const STEP_LUA = `
-- The window of an inactive destination is dissolved: what an earlier owner left open is mail again, to be given up, and is not sent.
local function unfreeze(s)
  for _, lane in ipairs({ 'f', 'u' }) do
    local key, kept, at = K .. lane .. ':' .. s.d, {}, 0
    for _, e in ipairs(s.win) do
      if e[2] == lane then
        if e[6] == 0 then
          for _, element in ipairs(redis.call('LRANGE', key, at, at + e[3] - 1)) do kept[#kept + 1] = element end
          s['e' .. lane] = s['e' .. lane] + e[4]
        end
        at = at + e[3]
      end
    end
    if at > 0 then redis.call('LTRIM', key, at, -1) end
    for i = #kept, 1, -1 do redis.call('LPUSH', key, kept[i]) end
  end
  for _, e in ipairs(s.win) do if e[2] == 'x' and e[6] == 0 then queueDue(s, e[1]) end end
  s.win, s.moved = {}, true
end

-- Batches that an earlier owner left open, or whose freezing never reached this one, are sent again, their attempt one higher.
local function reopen(s, out, known)
  local at = { f = 0, u = 0 }
  for _, e in ipairs(s.win) do
    if e[6] == 0 and not known[e[1]] then
      e[5] = e[5] + 1
      s.moved = true
      if e[2] == 'x' then
        out[#out + 1] = resendOf(s, e)
      else
        out[#out + 1] = { e[1], e[2], e[5], e[4], read(s, e[2], at[e[2]], e[3]) }
      end
    end
    if e[2] ~= 'x' then at[e[2]] = at[e[2]] + e[3] end
  end
end

-- Ends a step: releases, parks, hands over, or goes on. Saves the state; returns the reply.
local function finish(s, leaving, out)
  local status = 'ok'
  local token = s.owner
  local till = s.bu
  if open(s) == 0 then
    local mail, due = holdsMail(s), holdsDue(s)
    local paused = s.active and s.paused > NOW
    if s.known and (not s.active or s.drop > 0) and (mail or due or redis.call('SCARD', K .. 'xs:' .. s.d) > 0) then
      status = 'purge'
    elseif paused or (s.bu > NOW and not due) then
      -- Parked also when nothing waits: what comes later finds the probe's job there.
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
    elseif leaving then
      disown(s)
      queueReady(s)
      status = 'left'
    else
      -- The counters may have drifted from the lists (Redis lost its last second): what is there must be found.
      if s.ef + s.eu == 0 then s.ef, s.eu = redis.call('LLEN', K .. 'f:' .. s.d), redis.call('LLEN', K .. 'u:' .. s.d) end
      status = 'again'
    end
  end
  save(s)
  local reply = { s.d, status, token }
  if status ~= 'idle' then reply[4], reply[5], reply[6] = s.bf, s.bp, remaining(till) end
  if #out > 0 then
    reply[7], reply[8], reply[9], reply[10] = s.address, s.version, s.secrets, s.account
    for _, b in ipairs(out) do reply[#reply + 1] = b end
  end
  return reply
end

local function serve(s, slots, max, out, leaving)
  if s.known and s.active and not leaving then freeze(s, slots, max, out) end
  return finish(s, leaving, out)
end
`;
