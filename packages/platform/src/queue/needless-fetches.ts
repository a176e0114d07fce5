import type { Redis } from '../redis/index.ts';

/**
 * Saves the workers of this connection fetches that find nothing. To wake a waiting worker, BullMQ puts a marker into a
 * sorted set, and every fetch of a job puts it there again, in case more jobs wait. So each job that comes alone would
 * wake a second worker for nothing. With this, a fetch puts the marker only if more jobs wait or are delayed.
 *
 * BullMQ's scripts run unchanged, after a few lines that replace this one use of ZADD. If a later BullMQ uses other
 * markers, workers fetch more often, and `needless-fetches.test.ts` fails. The connection must be new, because BullMQ
 * defines its scripts on first use.
 */
export function avoidNeedlessFetches(connection: Redis): void {
  const define = connection.defineCommand.bind(connection);
  connection.defineCommand = (name, definition) => {
    define(name, { ...definition, lua: BEFORE + definition.lua });
  };
}

const BEFORE = `
local redis = setmetatable({}, { __index = redis })
do
  local call = getmetatable(redis).__index.call
  redis.call = function(command, key, ...)
    local queue = command == 'ZADD' and string.match(key, '^(.*:)marker$')
    local isBase = queue and select(2, ...) == '0'
    if isBase and call('EXISTS', queue .. 'wait', queue .. 'prioritized', queue .. 'delayed') == 0 then return 0 end
    return call(command, key, ...)
  end
end
`;
