import { groupBits, isBit, TABLES } from './layout.ts';
import type { FieldRow, FieldType } from './layout.ts';

/** A Lua file that cannot become part of the library. */
export class LuaError extends Error {
  override readonly name = 'LuaError';
}

/** Formats of Lua's `struct`. */
const FORMATS: Readonly<Record<FieldType, string>> = {
  B: 'B',
  I2: 'I2',
  I4: 'I4',
  I6: 'I6',
  flag: 'B',
  bit: 'B',
  part: 'B',
  length: 'B',
  lane: 'c1',
  'new lane': 'B',
  text: 'Bc0',
  'long text': 'I2c0',
  rest: '',
};

const UNSET: Readonly<Record<FieldType, string>> = {
  B: '0',
  I2: '0',
  I4: '0',
  I6: '0',
  flag: 'false',
  bit: 'false',
  part: 'false',
  length: '0',
  lane: "'f'",
  'new lane': "'f'",
  text: "''",
  'long text': "''",
  rest: "''",
};

const isRest = ([, type]: FieldRow): boolean => type === 'rest';

const formatOf = (rows: readonly FieldRow[]): string =>
  `'>${groupBits(rows)
    .map(([[, type]]) => FORMATS[type])
    .join('')}'`;

/** The value of a field whose number `from` has. Undefined if it is the number. */
function unpacked(from: string, type: FieldType, bit: number): string | undefined {
  if (type === 'flag') return `${from} == 1`;
  if (type === 'new lane') return `${from} == 1 and 'u' or 'f'`;
  if (isBit(type)) return `${from} % ${2 ** (bit + 1)} >= ${2 ** bit}`;
  return undefined;
}

function packed(field: string, type: FieldType, bit: number): string {
  if (type === 'flag') return `${field} and 1 or 0`;
  if (type === 'new lane') return `${field} == 'u' and 1 or 0`;
  if (isBit(type)) return `(${field} and ${2 ** bit} or 0)`;
  return type === 'text' || type === 'long text' ? `#${field}, ${field}` : field;
}

function parse(rows: readonly FieldRow[], table: string, text = '', from?: string, to?: string): string {
  const groups = groupBits(rows.filter((row) => !isRest(row)));
  const first = groups.map(([[name]]) => `${table}.${name}`);
  const values = groups.flatMap((group, i) =>
    group.flatMap(([name, type], bit) => {
      const value = unpacked(first[i] ?? '', type, bit);
      return value === undefined ? [] : [[`${table}.${name}`, value] as const];
    }),
  );
  const rest = rows.filter(isRest).map(([name]) => [`${table}.${name}`, `sub(${text}, ${to ?? ''})`] as const);
  const later = [...values, ...rest];
  const targets = to === undefined ? first : [...first, to];
  const call = `parse(${formatOf(rows)}, ${text}${from === undefined ? '' : `, ${from}`})`;
  const assignment = `${targets.join(', ')} = ${call}`;
  return later.length === 0
    ? assignment
    : `${assignment}\n${later.map(([field]) => field).join(', ')} = ${later.map(([, value]) => value).join(', ')}`;
}

function pack(rows: readonly FieldRow[], table: string): string {
  const values = groupBits(rows.filter((row) => !isRest(row))).map((group) =>
    group.map(([name, type], bit) => packed(`${table}.${name}`, type, bit)).join(' + '),
  );
  const rest = rows.filter(isRest).map(([name]) => ` .. ${table}.${name}`);
  return `pack(${[formatOf(rows), ...values].join(', ')})${rest.join('')}`;
}

const clear = (rows: readonly FieldRow[], table: string): string =>
  `${rows.map(([name]) => `${table}.${name}`).join(', ')} = ${rows.map(([, type]) => UNSET[type]).join(', ')}`;

const create = (rows: readonly FieldRow[]): string =>
  `{ ${rows.map(([name, type]) => `${name} = ${UNSET[type]}`).join(', ')} }`;

const isAnySet = (rows: readonly FieldRow[], table: string): string =>
  rows
    .filter(([, , , note]) => note !== 'beside')
    .map(([name, type]) => `${table}.${name} ${UNSET[type] === '0' ? '>' : '~='} ${UNSET[type]}`)
    .join(' or ');

const MAKERS = { parse, pack, clear, new: create, any: isAnySet } as const;

const DIRECTIVE = /--- @(parse|pack|clear|new|any) (\w+)(.*)$/gm;

/**
 * Replaces each directive by Lua for the fields of a table of `layout.ts`:
 *
 * - `--- @parse TABLE fields text from to` sets the fields to those of a text at the place `from` (1 if it is absent),
 *   and `to` (if it is there) to the place after them
 * - `--- @pack TABLE fields` is an expression, the packed text of the fields
 * - `--- @clear TABLE fields` sets the fields to 0, false or ''
 * - `--- @new TABLE` is an expression, a table of fields that are cleared
 * - `--- @any TABLE fields` is an expression, whether any of them is set
 *
 * @throws LuaError for an unknown table.
 */
export const withFields = (text: string): string =>
  text.replaceAll(DIRECTIVE, (_, maker: keyof typeof MAKERS, name: string, words: string) => {
    const rows = TABLES[name];
    if (rows === undefined) throw new LuaError(`there is no table ${name}`);
    const [table = '', ...more] = words.trim().split(' ');
    return MAKERS[maker](rows, table, ...more);
  });
