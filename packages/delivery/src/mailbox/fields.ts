import type { FieldRow, FieldType, Values } from './layout.ts';
import { groupBits } from './layout.ts';

/** The values of a field that is not set. */
const UNSET: Readonly<Record<FieldType, number | boolean | string>> = {
  B: 0,
  I2: 0,
  I4: 0,
  I6: 0,
  flag: false,
  bit: false,
  part: false,
  length: 0,
  lane: 'f',
  'new lane': 'f',
  text: '',
  'long text': '',
  rest: '',
};

/** The fields of a table while none is set. */
export const unset = <Rows extends readonly FieldRow[]>(rows: Rows): Values<Rows> =>
  Object.fromEntries(
    rows.filter(([, type]) => type !== 'part' && type !== 'length').map(([name, type]) => [name, UNSET[type]]),
  ) as Values<Rows>;

/** A step of a reader. `mask`: of a bit. `isLast`: whether the next step reads the next byte. */
interface Step {
  readonly name: string;
  readonly type: FieldType;
  readonly mask: number;
  readonly isLast: boolean;
}

export interface Reader {
  readonly steps: readonly Step[];
}

export const readerOf = (rows: readonly FieldRow[]): Reader => ({
  steps: groupBits(rows).flatMap((group) =>
    group.map(([name, type], i) => ({ name, type, mask: 2 ** i, isLast: i === group.length - 1 })),
  ),
});

/** What the last `readFields` read of parts and lengths. */
export interface Following {
  hasPart: boolean;
  length: number;
}

/** Reads fields into `values`, and returns the position after them. */
export function readFields(
  { steps }: Reader,
  bytes: Buffer,
  from: number,
  values: object,
  following?: Following,
): number {
  const into = values as Record<string, number | boolean | string>;
  let at = from;
  for (const { name, type, mask, isLast } of steps) {
    switch (type) {
      case 'B':
        into[name] = bytes[at] ?? 0;
        at += 1;
        break;
      case 'I2':
        into[name] = bytes.readUInt16BE(at);
        at += 2;
        break;
      case 'I4':
        into[name] = bytes.readUInt32BE(at);
        at += 4;
        break;
      case 'I6':
        into[name] = bytes.readUIntBE(at, 6);
        at += 6;
        break;
      case 'flag':
        into[name] = bytes[at] === 1;
        at += 1;
        break;
      case 'new lane':
        into[name] = bytes[at] === 1 ? 'u' : 'f';
        at += 1;
        break;
      case 'lane':
        into[name] = LANES[bytes[at] ?? 0] ?? 'f';
        at += 1;
        break;
      case 'bit':
        into[name] = ((bytes[at] ?? 0) & mask) !== 0;
        if (isLast) at += 1;
        break;
      case 'part':
        if (following !== undefined) following.hasPart = ((bytes[at] ?? 0) & mask) !== 0;
        if (isLast) at += 1;
        break;
      case 'length':
        if (following !== undefined) following.length = bytes[at] ?? 0;
        at += 1;
        break;
      case 'text': {
        const end = at + 1 + (bytes[at] ?? 0);
        into[name] = bytes.toString('latin1', at + 1, end);
        at = end;
        break;
      }
      case 'long text': {
        const end = at + 2 + bytes.readUInt16BE(at);
        into[name] = bytes.toString('utf8', at + 2, end);
        at = end;
        break;
      }
      case 'rest':
        into[name] = bytes.toString('utf8', at);
        at = bytes.length;
        break;
    }
  }
  return at;
}

const LANES: Readonly<Record<number, string>> = { 102: 'f', 117: 'u', 120: 'x' };
