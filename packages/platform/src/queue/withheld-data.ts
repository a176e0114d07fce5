import { z } from 'zod';
import type { Redis } from '../redis/index.ts';

/** Data of a job from this size on is read only when there is room for it: see `withholdData`. */
export const LARGE_JOB_BYTES = 256 * 1024;

export interface WithholdOptions {
  readonly largeBytes?: number;
  /** Data of any size is withheld from a job that has stalled this often. Absent: only large data is. */
  readonly stalledTimes?: number;
}

/** The data of a job whose own data is still in Redis: its size there. */
const withheld = z.strictObject({ withheldBytes: z.int() });

/** Size of the data that was withheld from a job; undefined when the job came with its data. */
export const withheldBytes = (data: unknown): number | undefined => withheld.safeParse(data).data?.withheldBytes;

/**
 * Makes BullMQ read jobs without data that is large, on this connection. BullMQ fetches a job with all of its fields and parses its data before
 * anybody can look at the size, so a few large jobs, or one that is larger still, end the process. Here a fetched job says how large its data is.
 *
 * BullMQ's own scripts run unchanged, behind a few lines that replace the field `data` in the one command by which they read a job (HGETALL). If a
 * later BullMQ reads jobs in another way, jobs come with their data as before; `admit-job.test.ts` fails then. The connection must be new:
 * BullMQ defines its scripts on first use.
 */
export function withholdData(connection: Redis, { largeBytes = LARGE_JOB_BYTES, stalledTimes }: WithholdOptions): void {
  const before = prologue(largeBytes, stalledTimes ?? Number.MAX_SAFE_INTEGER);
  const define = connection.defineCommand.bind(connection);
  connection.defineCommand = (name, definition) => {
    define(name, { ...definition, lua: before + definition.lua });
  };
  // A single job is read by the plain command.
  const readJob = `${before}return redis.call('HGETALL', KEYS[1])`;
  connection.hgetall = async (key) => {
    const fields = (await connection.eval(readJob, 1, key)) as string[];
    const job: Record<string, string> = {};
    for (let i = 0; i + 1 < fields.length; i += 2) job[fields[i] ?? ''] = fields[i + 1] ?? '';
    return job;
  };
}

const prologue = (largeBytes: number, stalledTimes: number): string => `
local theirs = redis
local redis = setmetatable({}, { __index = theirs })
redis.call = function(command, key, ...)
  if command ~= 'HGETALL' then return theirs.call(command, key, ...) end
  local bytes = theirs.call('HSTRLEN', key, 'data')
  local isSmall = bytes <= ${largeBytes} and tonumber(theirs.call('HGET', key, 'stc') or 0) < ${stalledTimes}
  if bytes == 0 or isSmall then return theirs.call(command, key, ...) end
  local fields = {}
  for _, name in ipairs(theirs.call('HKEYS', key)) do
    fields[#fields + 1] = name
    fields[#fields + 1] = name == 'data' and '{"withheldBytes":' .. string.format('%d', bytes) .. '}' or theirs.call('HGET', key, name)
  end
  return fields
end
`;
