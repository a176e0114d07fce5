import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Random } from '../../test/engine/simulation/random.ts';
import type { Mutant } from './mutants.ts';

const LUA = 'packages/delivery/src/mailbox/lua';
/** What must notice a fault of a function. */
const TESTS = [
  'packages/delivery/src/mailbox/',
  'packages/delivery/src/manage/',
  'packages/delivery/src/publish/',
  'packages/delivery/src/record/',
  'test/engine/mailbox-model/mailbox-model.test.ts',
  'test/engine/simulation/simulation.test.ts',
];
/** What runs if these do not. */
const MORE_TESTS = [
  'packages/delivery/src/deliver/',
  'packages/insight/',
  'test/engine/(account|campaign|delivery|destinations|discard|erase|event|kept-bodies|lanes|large|live|local)',
  'test/engine/(operator|poison|redrive|replay|request-size|send-now|shapes|stored-format|transactional)',
];

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

/** All places of the functions where a comparison, `and` or `or` can be turned, or a writing call left out. */
export const functionMutants = (): readonly Mutant[] =>
  readdirSync(LUA, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lua'))
    .sort()
    .flatMap((name) => mutantsOf(path.posix.join(LUA, name)));

function mutantsOf(file: string): readonly Mutant[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    if (line.trimStart().startsWith('--')) return [];
    const changes = [...line.matchAll(OPERATOR)].map(
      ({ 1: operator = '', index }) =>
        `${line.slice(0, index + 1)}${SWAPS[operator] ?? ''}${line.slice(index + 1 + operator.length)}`,
    );
    if (DROPPED_CALL.test(line)) changes.push('');
    const context = uniqueContext(lines, at);
    if (context === undefined) return [];
    const [first, end] = context;
    return changes.map((changed) => ({
      guarantee: `${path.posix.relative(LUA, file)}:${at + 1}`,
      what: `${line.trim()} -> ${changed.trim() === '' ? 'nothing' : changed.trim()}`,
      file,
      from: lines.slice(first, end).join('\n'),
      to: [...lines.slice(first, at), changed, ...lines.slice(at + 1, end)].join('\n'),
      tests: TESTS,
      moreTests: MORE_TESTS,
    }));
  });
}

/** The smallest block of lines around one that the file has once. */
function uniqueContext(lines: readonly string[], at: number): readonly [first: number, end: number] | undefined {
  const text = lines.join('\n');
  for (let more = 0; more < 6; more += 1) {
    const [first, end] = [Math.max(0, at - more), Math.min(lines.length, at + more + 1)];
    if (text.split(lines.slice(first, end).join('\n')).length === 2) return [first, end];
  }
  return undefined;
}

/** Some of them, by a seed. */
export function someOf(mutants: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  const random = new Random(seed);
  const left = [...mutants];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [mutant] = left.splice(random.int(0, left.length - 1), 1);
    return mutant as Mutant;
  });
}
