import { z } from 'zod';
import type { Redis } from '../redis/index.ts';
import { JOB_FIELDS } from './bull-keys.ts';
import { hasField, malformedData } from './malformed-job.ts';
import { wrapScripts } from './wrap-scripts.ts';

/** A job's data above this size is withheld until there is room for it (see `withholdData`). */
export const LARGE_JOB_BYTES = 256 * 1024;

export interface WithholdOptions {
  readonly largeBytes?: number;
  /** Data of any size is withheld if its job has stalled this many times. If absent, only large data is withheld. */
  readonly stalledTimes?: number;
}

/** Replaces the data of a job while the data stays in Redis. */
const withheld = z.strictObject({ withheldBytes: z.int() });

/** The size of the data that was withheld from a job, or undefined if the job has its data. */
export const withheldBytes = (data: unknown): number | undefined =>
  hasField(data, 'withheldBytes') ? withheld.safeParse(data).data?.withheldBytes : undefined;

/**
 * Makes BullMQ read jobs without their large data, on this connection. A fetched job shows the size of its data
 * instead. By default, BullMQ fetches all fields of a job, and parses the data before its size can be checked, so a few
 * large jobs could end the process.
 *
 * Also leaves out options, progress and parent of a job that are not JSON, and replaces such data when a single job is
 * read. BullMQ would throw, so that one job would hide all others of its page, and no worker could fail it.
 *
 * The lines before BullMQ's scripts (`wrapScripts`) replace the field `data` in HGETALL, the command by which the
 * scripts read a job. If a later BullMQ reads jobs in another way, jobs come with their data, and `admit-job.test.ts`
 * fails.
 */
export function withholdData(connection: Redis, { largeBytes = LARGE_JOB_BYTES, stalledTimes }: WithholdOptions): void {
  const before = prologue(largeBytes, stalledTimes);
  wrapScripts(connection, before);
  // BullMQ reads a single job without a script.
  const readJob = `${before}return redis.call('HGETALL', KEYS[1])`;
  connection.hgetall = async (key) => {
    const fields = (await connection.eval(readJob, 1, key)) as string[];
    const job: Record<string, string> = {};
    for (let i = 0; i + 1 < fields.length; i += 2) job[fields[i] ?? ''] = fields[i + 1] ?? '';
    if (job['data'] !== undefined && !isJson(job['data'])) job['data'] = JSON.stringify(malformedData(job['data']));
    return job;
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * A worker's script of the end of a job would fail at a parent that is not JSON, and the job would never end. So a
 * worker deletes it.
 */
const prologue = (largeBytes: number, stalledTimes = NEVER): string => `
local original = redis
local redis = setmetatable({}, { __index = original })
redis.call = function(command, key, ...)
  if command ~= 'HGETALL' then return original.call(command, key, ...) end
  local bytes = original.call('HSTRLEN', key, 'data')
  local stalls = tonumber(original.call('HGET', key, '${JOB_FIELDS.stalls}') or 0)
  local isSmall = bytes <= ${largeBytes} and stalls < ${stalledTimes}
  local fields = {}
  if bytes == 0 or isSmall then
    fields = original.call(command, key, ...)
  else
    for _, name in ipairs(original.call('HKEYS', key)) do
      fields[#fields + 1] = name
      local withheld = name == 'data' and '{"withheldBytes":' .. string.format('%d', bytes) .. '}'
      fields[#fields + 1] = withheld or original.call('HGET', key, name)
    end
  end
  for i = 1, #fields, 2 do
    local name = fields[i]
    if name == 'opts' or name == 'progress' or name == 'parent' then
      local isJson, value = pcall(cjson.decode, fields[i + 1])
      if not isJson or (name ~= 'progress' and type(value) ~= 'table') then
        fields[i + 1] = ''
        if name == 'parent' and ${stalledTimes !== NEVER} then original.call('HDEL', key, name) end
      end
    end
  end
  return fields
end
`;
