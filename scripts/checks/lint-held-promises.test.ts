import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Each body of an async function, and the rule's words for it. */
const REFUSED: readonly (readonly [body: string, words: string])[] = [
  ['const p = f(); await g(); await p;', '"p" is held'],
  ['const p = f(); if (isDone) return; await p;', '"p" is held'],
  ['const p = f(); if (isDone) throw new Error(); await p;', '"p" is held'],
  ['const p = f(); for await (const one of many()) use(one); await p;', '"p" is held'],
  ['const p = f(); await Promise.all([p, await g()]);', '"p" is held'],
  ['const p = f(); try { await g(); } finally { await p; }', '"p" is held'],
  ['const p = f(); await Promise.all([1].map(async () => { await g(); await p; }));', '"p" is not handled'],
  ['const p = f(); if (isDone) await p; else await g();', '"p" is handled in one branch'],
  ['const p = f(); return { close: async () => { await p; } };', '"p" is not handled'],
  ['const p = f().finally(clean); await g(); await p;', '"p" is held'],
  ['const [p, q] = [f(), g()]; await p; await q;', '"q" is held'],
  ['const all = [f(), g()]; await g(); await Promise.all(all);', '"all" is held'],
  ['const all = [f(), g()]; for (const one of all) await one;', '"all" is not handled'],
  ['const all: Promise<number>[] = []; for (;;) { all.push(f()); await g(); }', '"all" is not handled'],
  ['await Promise.all([f(), await g()]);', 'before the await beside it'],
  ['const parts = { p: f(), q: g() }; await parts.p; await parts.q;', 'An object holds this promise'],
  ['const read = async (p: Promise<number>) => { await g(); await p; }; await read(f());', '"p" is held'],
  ['const read = async (p?: Promise<number>) => { await g(); await (p ?? f()); }; await read(f());', '"p" is held'],
];

const ACCEPTED: readonly string[] = [
  'await f(); await g();',
  'const p = f(); await p; await g();',
  'const p = f(); await Promise.all([g(), p]);',
  'const p = f(); const q = g(); const [a, b] = await Promise.all([p, q]); use(a, b);',
  'const p = f(); await Promise.allSettled([p]); await g(); await p;',
  'const p = f().catch(clean); await g(); await p;',
  'const p = f(); p.catch(clean); await g(); await p;',
  'const p = f(); return p;',
  'const p = f(); await Promise.all([1].map(() => late(p)));',
  'const all = [1].map(f); await Promise.all(all); await g();',
  'const all = await Promise.all([f(), g()]); await f(); use(all);',
  'const known = new Map<string, Promise<number>>().get("a"); if (known !== undefined) return known; await g();',
  'const value = isDone ? 1 : f(); if (typeof value === "number") use(value); else void late(value);',
];

const PRELUDE = `
declare const isDone: boolean;
declare const f: () => Promise<number>;
declare const g: () => Promise<number>;
declare const late: (p: Promise<number>) => Promise<number>;
declare const many: () => AsyncIterable<number>;
declare const use: (...values: unknown[]) => void;
declare const clean: () => void;
`;

const CONFIG = `
import parser from ${JSON.stringify(path.resolve('node_modules/@typescript-eslint/parser/dist/index.js'))};
import rule from ${JSON.stringify(path.resolve('scripts/checks/lint-held-promises.cjs'))};
export default {
  files: ['**/*.ts'],
  languageOptions: { parser, parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
  plugins: { own: { rules: { rule } } },
  rules: { 'own/rule': 'error' },
};`;

interface Linted {
  readonly filePath: string;
  readonly messages: readonly { readonly message: string }[];
}

/** Lints each body in a file of its own. Returns the messages in the order of the bodies. */
function lint(bodies: readonly string[]): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-lint-'));
  try {
    const compilerOptions = { target: 'es2023', strict: true, types: [] };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    writeFileSync(path.join(folder, 'eslint.config.mjs'), CONFIG);
    for (const [i, body] of bodies.entries()) {
      const code = `${PRELUDE}\nexport async function run(): Promise<unknown> { ${body}\n return undefined; }\n`;
      writeFileSync(path.join(folder, `${i}.ts`), code);
    }
    const eslint = path.resolve('node_modules/eslint/bin/eslint.js');
    const { stdout, stderr } = spawnSync(process.execPath, [eslint, '-f', 'json', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    const found = new Map(
      (JSON.parse(stdout) as Linted[]).map(({ filePath, messages }) => [
        path.basename(filePath, '.ts'),
        messages.map(({ message }) => message).join(' '),
      ]),
    );
    return bodies.map((_, i) => found.get(String(i)) ?? 'not linted');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the lint rule refuses a promise that is held while something else is awaited, and accepts it otherwise', () => {
  const bodies = [...REFUSED.map(([body]) => body), ...ACCEPTED];
  const messages = lint(bodies);
  const wanted = [...REFUSED.map(([, words]) => expect.stringContaining(words) as string), ...ACCEPTED.map(() => '')];
  expect(bodies.map((body, i) => [body, messages[i]])).toEqual(bodies.map((body, i) => [body, wanted[i]]));
}, 120_000);
