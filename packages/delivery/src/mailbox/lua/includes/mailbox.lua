-- Reads a destination's record and mailbox as a table, and writes back what changed.
--- @include base
-- A command writes only the fields that it changes, because each field costs as much as a small command.
local FIELDS = {
  'owner', 'win', 'ef', 'eu', 'bf', 'bp', 'bu', 'lane', 'turn', 'ready',
  'active', 'address', 'version', 'secrets', 'account', 'paused', 'drop', 'size', 'proven', 'sendnow',
}

local function load(d)
  local key = K .. 'd:' .. d
  local v = redis.call('HMGET', key, unpack(FIELDS))
  local s = {
    d = d, was = v, owner = v[1] or '', win = (v[2] and v[2] ~= '') and cjson.decode(v[2]) or {},
    ef = tonumber(v[3] or 0), eu = tonumber(v[4] or 0),
    bf = tonumber(v[5] or 0), bp = tonumber(v[6] or 0), bu = tonumber(v[7] or 0),
    lane = v[8] or 'f', turn = v[9] or '', ready = v[10] == '1',
    active = v[11] == '1', address = v[12] or '', known = v[13] and true or false, version = v[13] or '0',
    secrets = v[14] or '', account = v[15] or '', paused = tonumber(v[16] or 0), drop = tonumber(v[17] or 0),
    size = v[18] or '', proven = v[19] == '1', sendnow = v[20] or '',
    deleted = false, reason = '', frozen = 0,
  }
  if not s.active then
    local more = redis.call('HMGET', key, 'deleted', 'reason')
    s.deleted, s.reason = more[1] == '1', more[2] or ''
  end
  return s
end

local function save(s)
  local v, changed = s.was, {}
  local function put(name, value)
    changed[#changed + 1] = name
    changed[#changed + 1] = value
  end
  if s.owner ~= (v[1] or '') then put('owner', s.owner) end
  if s.changed then put('win', #s.win > 0 and cjson.encode(s.win) or '') end
  for i = 3, 7 do
    local name = FIELDS[i]
    if s[name] ~= tonumber(v[i] or 0) then put(name, s[name]) end
  end
  if s.lane ~= (v[8] or 'f') then put('lane', s.lane) end
  if s.turn ~= (v[9] or '') then put('turn', s.turn) end
  if s.ready ~= (v[10] == '1') then put('ready', s.ready and '1' or '') end
  if s.size ~= (v[18] or '') then put('size', s.size) end
  if s.proven ~= (v[19] == '1') then put('proven', s.proven and '1' or '') end
  if s.sendnow ~= (v[20] or '') then put('sendnow', s.sendnow) end
  if #changed > 0 then redis.call('HSET', K .. 'd:' .. s.d, unpack(changed)) end
end
