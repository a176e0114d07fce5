import type { Redis } from './connect.ts';

/** The commands of the functions and of BullMQ, with arguments of the right number. */
const PROBES: readonly (readonly string[])[] = [
  ...['GET', 'HGETALL', 'HKEYS', 'HLEN', 'LLEN', 'PTTL', 'SCARD', 'SMEMBERS', 'TTL', 'TYPE', 'XLEN', 'ZCARD'].map(only),
  ...['DEL', 'EXISTS', 'INCR', 'LPOP', 'RPOP', 'SPOP', 'SRANDMEMBER', 'UNLINK', 'ZPOPMIN'].map(only),
  ...['HDEL', 'HEXISTS', 'HGET', 'HMGET', 'HSTRLEN', 'LINDEX', 'LPOS', 'LPUSH', 'RPUSH', 'SADD'].map(
    withArguments('1'),
  ),
  ...['HSCAN', 'SISMEMBER', 'SREM', 'SSCAN', 'XDEL', 'ZREM', 'ZSCORE', 'EXPIRE', 'PEXPIRE', 'SET'].map(
    withArguments('1'),
  ),
  ...['PEXPIREAT', 'INCRBY', 'PUBLISH'].map(withArguments('1')),
  ...['HINCRBY', 'HSET', 'HSETNX', 'HMSET', 'LRANGE', 'LREM', 'LSET', 'LTRIM', 'XRANGE'].map(withArguments('1', '1')),
  ...['ZADD', 'ZCOUNT', 'ZRANGE', 'ZRANGEBYSCORE', 'ZREMRANGEBYSCORE'].map(withArguments('1', '1')),
  ...['ZREVRANGE', 'ZREVRANGEBYSCORE', 'ZREMRANGEBYRANK', 'ZLEXCOUNT', 'ZRANGEBYLEX'].map(withArguments('1', '1')),
  ['LINSERT', 'KEY', 'BEFORE', '1', '1'],
  ['MEMORY', 'USAGE', 'KEY'],
  ['RENAME', 'KEY', 'KEY'],
  ['RPOPLPUSH', 'KEY', 'KEY'],
  ['XADD', 'KEY', '*', '1', '1'],
  ['XTRIM', 'KEY', 'MAXLEN', '1'],
  ['TIME'],
];

function only(command: string): string[] {
  return [command, 'KEY'];
}

function withArguments(...more: string[]): (command: string) => string[] {
  return (command) => [command, 'KEY', ...more];
}

/**
 * A script without writes. Redis checks the rights of a command before it refuses to write, so the script changes
 * nothing.
 */
const PROBE_SCRIPT = `#!lua flags=no-writes
local refused = {}
for _, probe in ipairs(cjson.decode(ARGV[1])) do
  for i, word in ipairs(probe) do if word == 'KEY' then probe[i] = KEYS[1] end end
  local reply = redis.pcall(unpack(probe))
  if type(reply) == 'table' and reply.err then refused[#refused + 1] = probe[1] .. ' ' .. reply.err end
end
return refused`;
/** The words of Redis 7.0, and those since 7.2. */
const NO_RIGHT = /^(\w+) .*(?:user executing the script can't|ACL failure in script)/;
const NO_RIGHT_DIRECTLY = /^NOPERM .*/;

/**
 * Checks at the start that the user of this connection may run the commands that Mailhook and BullMQ need, on the keys
 * and channels of the prefix. Changes nothing. @throws Error that names the missing commands, keys or channels.
 */
export async function checkRedisRights(redis: Redis, queuePrefix: string): Promise<void> {
  const bare = queuePrefix.replace(/^\{(.+)\}$/, '$1');
  const refused = new Set<string>();
  for (const key of [`${queuePrefix}:rights`, `{${bare}:0}:rights`]) {
    for (const name of await refusedOn(redis, key)) refused.add(name);
  }
  if (refused.size === 0) return;
  throw new Error(
    `The Redis user in REDIS_URL lacks rights: ${[...refused].join('; ')}. docs/deployment.md has its ACL SETUSER ` +
      'line.',
  );
}

async function refusedOn(redis: Redis, key: string): Promise<string[]> {
  const ask = async (command: Promise<unknown>): Promise<string[]> => {
    try {
      const reply = await command;
      if (!Array.isArray(reply)) return [];
      return reply.map((line) => NO_RIGHT.exec(String(line))?.[1]).filter((name) => name !== undefined);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return NO_RIGHT_DIRECTLY.test(message) ? [`on ${key}: ${message}`] : [];
    }
  };
  const scripts = await ask(redis.eval(PROBE_SCRIPT, 1, key, JSON.stringify(PROBES)));
  return [
    ...(scripts.length === 0 || scripts[0]?.startsWith('on ') === true
      ? scripts
      : [`on ${key}: ${scripts.join(', ')}`]),
    ...(await ask(redis.evalsha('0'.repeat(40), 1, key))),
    ...(await ask(redis.fcall('no_such_function', 1, key))),
    ...(await ask(redis.function('LIST', 'LIBRARYNAME', 'no_such_library'))),
    ...(await ask(redis.bzpopmin(key, 0.01))),
    ...(await ask(redis.info('server'))),
  ];
}
