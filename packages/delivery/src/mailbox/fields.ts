import type { FieldRow, FieldType, Lane, Values } from './layout.ts';
import { groupBits, isBit, TYPES } from './layout.ts';

/** The fields of a table while none is set. */
export const unset = <Rows extends readonly FieldRow[]>(rows: Rows): Values<Rows> =>
  Object.fromEntries(
    rows.filter(([, type]) => type !== 'part' && type !== 'length').map(([name, type]) => [name, TYPES[type].unset]),
  ) as Values<Rows>;

/** A step of a reader: a field, with its mask if it is a bit. `bytes`: 0 if the next field shares its byte. */
interface Step {
  readonly name: string;
  readonly type: FieldType;
  readonly mask: number;
  readonly bytes: number;
}

export type Reader = readonly Step[];

export const readerOf = (rows: readonly FieldRow[]): Reader =>
  groupBits(rows).flatMap((group) =>
    group.map(([name, type], bit) => {
      return { name, type, mask: 2 ** bit, bytes: bit === group.length - 1 ? TYPES[type].bytes : 0 };
    }),
  );

/** What a reader found of parts and lengths. */
export interface Following {
  hasPart: boolean;
  length: number;
}

/** Reads fields into `values`, and returns the position after them. */
export function readFields(reader: Reader, bytes: Buffer, from: number, values: object, following?: Following): number {
  const into = values as Record<string, number | boolean | string>;
  let at = from;
  for (const step of reader) {
    const { name, type } = step;
    const start = at;
    const end = start + step.bytes;
    at = end;
    if (type === 'text') {
      at += bytes[end - 1] ?? 0;
      into[name] = bytes.toString('latin1', end, at);
    } else if (type === 'long text') {
      at += bytes.readUInt16BE(end - 2);
      into[name] = bytes.toString('utf8', end, at);
    } else if (type === 'rest') {
      at = bytes.length;
      into[name] = bytes.toString('utf8', end);
    } else {
      const value = fixedValue(step, bytes, start);
      if (type !== 'part' && type !== 'length') into[name] = value;
      else if (following !== undefined && type === 'part') following.hasPart = value === true;
      else if (following !== undefined) following.length = Number(value);
    }
  }
  return at;
}

const LANES: Readonly<Record<number, Lane>> = { 102: 'f', 117: 'u', 114: 'r', 120: 'x' };

function fixedValue({ type, mask }: Step, bytes: Buffer, at: number): number | boolean | Lane {
  if (type === 'I2') return bytes.readUInt16BE(at);
  if (type === 'I4') return bytes.readUInt32BE(at);
  if (type === 'I6') return bytes.readUIntBE(at, 6);
  const byte = bytes[at] ?? 0;
  if (type === 'flag') return byte === 1;
  if (isBit(type)) return (byte & mask) !== 0;
  if (type === 'lane') return LANES[byte] ?? 'f';
  if (type === 'new lane') return byte === 1 ? 'u' : 'f';
  return byte;
}
