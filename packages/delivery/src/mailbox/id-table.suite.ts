import type { Redis } from '@mailhook/platform/redis';
import { readerOf, readFields, unset } from './fields.ts';
import type { EngineKeys } from './keys.ts';
import { ID_TABLE } from './layout.ts';
import type { Values } from './layout.ts';

/** How the producers' ids of a shard are kept. `layout.ts` says what each field means. */
export type IdTable = Values<typeof ID_TABLE>;

const NONE: IdTable = { ...unset(ID_TABLE), buckets: 1 };
const reader = readerOf(ID_TABLE);

export async function readIdTable(redis: Redis, keys: Pick<EngineKeys, 'ids'>): Promise<IdTable> {
  const bytes = await redis.getBuffer(keys.ids);
  if (bytes === null) return NONE;
  const table = { ...NONE };
  readFields(reader, bytes, 0, table);
  return table;
}
