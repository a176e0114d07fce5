import { COMMANDS } from '../../../packages/delivery/src/mailbox/functions.ts';
import { libraryText, readLua } from '../../../packages/delivery/src/mailbox/lua-library.ts';
import { Random } from '../simulation/random.ts';

/** A small change of the commands that a test should notice. */
export interface Mutant {
  readonly what: string;
  /** A text of the library that is there once, and what replaces it. */
  readonly from: string;
  readonly to: string;
}

const SWAPS: Readonly<Record<string, string>> = {
  '<=': '<',
  '>=': '>',
  '==': '~=',
  '~=': '==',
  '<': '<=',
  '>': '>=',
  and: 'or',
  or: 'and',
};
const OPERATOR = / (<=|>=|==|~=|<|>|and|or) /g;
const DROPPED_CALL =
  /^\s*(?:call\('(?:ZADD|ZREM|HSET|HDEL|SADD|SREM|SET|DEL|RPUSH|LPUSH|LTRIM)'.*\)|count\(.*\)|save\(\))$/;

/** The library as all installations have it. */
export const library = (): string => libraryText('', '', COMMANDS, readLua);

/** All places where a comparison, `and` or `or` can be turned, or a writing call left out. */
export function allMutants(text: string): readonly Mutant[] {
  const lines = text.split('\n');
  const mutants: Mutant[] = [];
  const add = (at: number, changed: string): void => {
    const context = uniqueContext(lines, at);
    if (context === undefined) return;
    const [first, end] = context;
    const to = [...lines.slice(first, at), changed, ...lines.slice(at + 1, end)].join('\n');
    const what = `${(lines[at] ?? '').trim()} -> ${changed.trim() === '' ? 'nothing' : changed.trim()}`;
    mutants.push({ what, from: lines.slice(first, end).join('\n'), to });
  };
  for (const [at, line] of lines.entries()) {
    for (const { 1: operator = '', index } of line.matchAll(OPERATOR))
      add(at, `${line.slice(0, index + 1)}${SWAPS[operator] ?? ''}${line.slice(index + 1 + operator.length)}`);
    if (DROPPED_CALL.test(line)) add(at, '');
  }
  return mutants;
}

/** The smallest block of lines around one that is in the text once. */
function uniqueContext(lines: readonly string[], at: number): readonly [first: number, end: number] | undefined {
  const text = lines.join('\n');
  for (let more = 0; more < 6; more += 1) {
    const [first, end] = [Math.max(0, at - more), Math.min(lines.length, at + more + 1)];
    if (text.split(lines.slice(first, end).join('\n')).length === 2) return [first, end];
  }
  return undefined;
}

/** Some of them, by a seed. */
export function someMutants(count: number, seed: number): readonly Mutant[] {
  const random = new Random(seed);
  const left = [...allMutants(library())];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [mutant] = left.splice(random.int(0, left.length - 1), 1);
    return mutant as Mutant;
  });
}
