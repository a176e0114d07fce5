import { totalMemoryLimitBytes } from '@mailhook/platform/redis';
import type { Installation } from '../mailbox/installation.ts';
import { createRunner } from '../mailbox/functions.ts';
import { packRows } from './row-blocks.ts';

interface RowPackerOptions {
  /** Most bytes of all blocks in all shards. By default, `LOG_BYTES` says. */
  readonly bytesMax: number | undefined;
  readonly blocksPerAccount: number;
  readonly keptS: number;
}

/**
 * Room of the blocks of delivered attempts: the share of Redis's `maxmemory`, the bytes without a limit, and the share
 * of an account in its shard's room.
 */
const LOG_BYTES = { ofMemory: 0.1, withoutLimit: 100_000_000, ofAccount: 0.05 } as const;

/** The oldest rows of an account, newest first. The version says whether they are still the same. */
export interface RipeRows {
  readonly account: string;
  readonly version: string;
  readonly rows: readonly string[];
}

/** Makes a block of rows, if they are still the same. */
export type PackRows = (ripe: RipeRows) => Promise<void>;

/** Rows are compressed here, because Redis cannot, and off the path of delivery. */
export function createRowPacker(installation: Installation, options: RowPackerOptions): PackRows {
  const run = createRunner(installation.redis);
  const bytesOfShard = async (): Promise<number> => {
    const limit = await totalMemoryLimitBytes(installation.redis);
    const ofAll = options.bytesMax ?? (limit === undefined ? LOG_BYTES.withoutLimit : limit * LOG_BYTES.ofMemory);
    return Math.floor(ofAll / installation.shards);
  };
  return async ({ account, version, rows }) => {
    const bytes = await bytesOfShard();
    await run(
      'pack-rows',
      installation.keysOf(account, 'campaign'),
      account,
      rows.length,
      version,
      packRows(rows),
      options.blocksPerAccount,
      Math.floor(bytes * LOG_BYTES.ofAccount),
      bytes,
      options.keptS * 1000,
    );
  };
}
