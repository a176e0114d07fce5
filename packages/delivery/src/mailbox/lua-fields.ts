import { GIVEN, groupBits, isBit, NEW_RECORD, TABLES, TYPES } from './layout.ts';
import type { FieldRow, FieldType } from './layout.ts';

/** A Lua file that cannot become part of the library. */
export class LuaError extends Error {
  override readonly name = 'LuaError';
}

/** The value of a field that is not set. */
function unsetOf(type: FieldType): string {
  const { unset } = TYPES[type];
  return typeof unset === 'string' ? `'${unset}'` : String(unset);
}

const LUA_TABLES: typeof TABLES = { ...TABLES, GIVEN, NEW_RECORD };

const isRest = ([, type]: FieldRow): boolean => type === 'rest';

const formatOf = (rows: readonly FieldRow[]): string =>
  `'>${groupBits(rows)
    .map(([[, type]]) => TYPES[type].format)
    .join('')}'`;

/** The value of a field whose number a local variable has, named like the first field of its byte. */
function unpacked(local: string, type: FieldType, bit: number): string {
  if (type === 'flag') return `${local} == 1`;
  if (type === 'new lane') return `${local} == 1 and 'u' or 'f'`;
  return `${local} % ${2 ** (bit + 1)} >= ${2 ** bit}`;
}

function packed(field: string, type: FieldType, bit: number): string {
  if (type === 'flag') return `${field} and 1 or 0`;
  if (type === 'new lane') return `${field} == 'u' and 1 or 0`;
  if (isBit(type)) return `(${field} and ${2 ** bit} or 0)`;
  return type === 'text' || type === 'long text' ? `#${field}, ${field}` : field;
}

const isNumber = (type: FieldType): boolean => type !== 'flag' && type !== 'new lane' && !isBit(type);

/** A field of a table, or a local variable. */
const fieldOf = (table: string, name: string): string => (table === '-' ? name : `${table}.${name}`);

const joined = (texts: readonly string[]): string => texts.join(', ');

function parse(rows: readonly FieldRow[], table: string, text = '', from?: string, to?: string): string {
  const groups = groupBits(rows.filter((row) => !isRest(row)));
  // Local variables are faster than fields.
  const locals = groups.filter(([[, type]]) => !isNumber(type)).map(([[name]]) => name);
  const targets = groups.map(([[name, type]]) => (isNumber(type) ? fieldOf(table, name) : name));
  const later = [
    ...groups
      .filter(([[, type]]) => !isNumber(type))
      .flatMap((group) =>
        group.map(([name, type], bit) => [fieldOf(table, name), unpacked(group[0][0], type, bit)] as const),
      ),
    ...rows.filter(isRest).map(([name]) => [fieldOf(table, name), `sub(${text}, ${to ?? ''})`] as const),
  ];
  const call = `parse(${joined([formatOf(rows), text, ...(from === undefined ? [] : [from])])})`;
  return [
    ...(locals.length === 0 ? [] : [`local ${joined(locals)}`]),
    `${joined([...targets, ...(to === undefined ? [] : [to])])} = ${call}`,
    ...(later.length === 0
      ? []
      : [`${joined(later.map(([name]) => name))} = ${joined(later.map(([, value]) => value))}`]),
  ].join('\n');
}

function pack(rows: readonly FieldRow[], table: string): string {
  const values = groupBits(rows.filter((row) => !isRest(row))).map((group) =>
    group.map(([name, type], bit) => packed(fieldOf(table, name), type, bit)).join(' + '),
  );
  const rest = rows.filter(isRest).map(([name]) => ` .. ${fieldOf(table, name)}`);
  return `pack(${joined([formatOf(rows), ...values])})${rest.join('')}`;
}

const clear = (rows: readonly FieldRow[], table: string): string =>
  `${joined(rows.map(([name]) => fieldOf(table, name)))} = ${joined(rows.map(([, type]) => unsetOf(type)))}`;

const isAnySet = (rows: readonly FieldRow[], table: string): string =>
  rows
    .filter(([, , , note]) => note !== 'beside')
    .map(([name, type]) => `${fieldOf(table, name)} ${unsetOf(type) === '0' ? '>' : '~='} ${unsetOf(type)}`)
    .join(' or ');

const fromArguments = (rows: readonly FieldRow[], table: string, first = ''): string =>
  `${joined(rows.map(([name]) => fieldOf(table, name)))} = ${joined(
    rows.map(([, type], i) => {
      const argument = `ARGV[${Number(first) + i}]`;
      return TYPES[type].unset === '' ? argument : `tonumber(${argument})`;
    }),
  )}`;

const copy = (rows: readonly FieldRow[], from: string, to = ''): string =>
  `${joined(rows.map(([name]) => fieldOf(to, name)))} = ${joined(rows.map(([name]) => fieldOf(from, name)))}`;

const MAKERS = { parse, pack, clear, any: isAnySet, arguments: fromArguments, copy } as const;

const DIRECTIVE = /--- @(parse|pack|clear|any|arguments|copy) (\w+) (.+)$/gm;

/**
 * Replaces each directive by Lua for the fields of a table of `layout.ts`:
 *
 * - `--- @parse TABLE fields text from to` sets the fields to those of a text at the place `from` (1 if it is absent),
 *   and `to` (if it is there) to the place after them
 * - `--- @pack TABLE fields` is an expression, the packed text of the fields
 * - `--- @clear TABLE fields` sets the fields to 0, false or ''
 * - `--- @any TABLE fields` is an expression, whether any of them is set
 * - `--- @arguments TABLE fields first` sets the fields, which are numbers and texts, to those of ARGV from `first` on
 * - `--- @copy TABLE from to` sets the fields of the table `to` to those of `from`
 *
 * `fields` is a table of Lua, or `-` for local variables. @throws LuaError for an unknown table.
 */
export const withFields = (text: string): string =>
  text.replaceAll(DIRECTIVE, (_, maker: keyof typeof MAKERS, name: string, words: string) => {
    const rows = LUA_TABLES[name];
    if (rows === undefined) throw new LuaError(`there is no table ${name}`);
    const [table = '', ...more] = words.split(' ');
    return MAKERS[maker](rows, table, ...more);
  });
