import { readerOf, readFields, unset } from './fields.ts';
import { SUMS } from './layout.ts';
import type { Values } from './layout.ts';

/** What an account has in a shard. `layout.ts` says what each field means. */
export type AccountSums = Values<typeof SUMS>;

const NOTHING: AccountSums = unset(SUMS);
const reader = readerOf(SUMS);

export function readSums(packed: Buffer | null | undefined): AccountSums {
  if (packed == null || packed.length === 0) return NOTHING;
  const sums = { ...NOTHING };
  readFields(reader, packed, 0, sums);
  return sums;
}
