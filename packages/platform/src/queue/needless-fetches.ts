import type { Redis } from '../redis/index.ts';
import { queueKeys } from './bull-keys.ts';
import { wrapScripts } from './wrap-scripts.ts';

/**
 * Spares the workers of this connection fetches that find nothing. BullMQ adds a marker to a sorted set to wake a
 * waiting worker. Every fetch of a job adds the marker again, in case more jobs wait, so a single job wakes a second
 * worker for nothing. With these lines before its scripts, a fetch adds the marker only if more jobs wait or are
 * delayed. If a later BullMQ uses other markers, workers fetch more often, and `needless-fetches.test.ts` fails.
 */
export const avoidNeedlessFetches = (connection: Redis): void => wrapScripts(connection, BEFORE);

const { marker, waiting, prioritized, delayed } = queueKeys('');

const BEFORE = `
local redis = setmetatable({}, { __index = redis })
do
  local call = getmetatable(redis).__index.call
  redis.call = function(command, key, ...)
    local queue = command == 'ZADD' and string.match(key, '^(.*:)${marker}$')
    local isBase = queue and select(2, ...) == '0'
    if isBase and call('EXISTS', queue .. '${waiting}', queue .. '${prioritized}', queue .. '${delayed}') == 0 then
      return 0
    end
    return call(command, key, ...)
  end
end
`;
