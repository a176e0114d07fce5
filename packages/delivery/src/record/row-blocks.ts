import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** When the newest row of a block was written, before the compressed rows. */
const HEADER_BYTES = 6;
const SEPARATOR = '\n';

/** @param rows their texts, newest first. A text of JSON has no line feed. */
export function packRows(rows: readonly string[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const { time } = JSON.parse(rows[0] ?? '') as { readonly time: string };
  header.writeUIntBE(Date.parse(time), 0, HEADER_BYTES);
  return Buffer.concat([header, deflateRawSync(rows.join(SEPARATOR))]);
}

/** The texts of a block's rows, newest first. */
export const rowsIn = (block: Buffer): string[] =>
  inflateRawSync(block.subarray(HEADER_BYTES)).toString().split(SEPARATOR);

/** The time of the newest row of a block, in Unix milliseconds. */
export const timeOfBlock = (block: Buffer): number => block.readUIntBE(0, HEADER_BYTES);

/** The block with other rows, in the same place and of the same time. */
export const repackRows = (block: Buffer, rows: readonly string[]): Buffer =>
  Buffer.concat([block.subarray(0, HEADER_BYTES), deflateRawSync(rows.join(SEPARATOR))]);
