-- The blocks of an account's delivered attempts (`record/row-blocks.ts`).
--- @include base
local function attemptsOf(account) return P .. 'attempts:' .. account end

-- What changes whenever the oldest rows of an account are others: with its blocks, and when a row is erased.
local function rowsVersion(account)
  local share, erased = call('HGET', P .. 'blocks', account), call('GET', attemptsOf(account) .. ':erased')
  return redis.sha1hex((share or '') .. (erased or ''))
end
