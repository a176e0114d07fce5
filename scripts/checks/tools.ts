import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestTool } from '@mailhook/testing';
import { findMongod } from '@mailhook/testing';
import { findChromium } from './chromium.ts';
import { aptInstaller, findCommand, install } from '../stack/redis-server.ts';
import { messageOf } from '../user-error.ts';

interface Tool {
  readonly isThere: () => Promise<boolean>;
  /** Debian's packages. */
  readonly packages: readonly string[];
  /** What does not run without it. */
  readonly leftOut: string;
}

const run = promisify(execFile);
const runs = (command: string, ...args: readonly string[]): Promise<boolean> =>
  run(command, args).then(
    () => true,
    () => false,
  );
const aTool = (name: string, packages: string, leftOut: string): Tool => ({
  isThere: () => runs(name, '--version'),
  packages: packages.split(' '),
  leftOut,
});

/** The tools that a package of Debian has. */
const TOOLS: Readonly<Record<Exclude<TestTool, 'mongod'>, Tool>> = {
  'redis-server': aTool('redis-server', 'redis-server', 'the stages unit, integration, end-to-end and browser'),
  chromium: {
    isThere: () => Promise.resolve(findChromium() !== undefined),
    packages: ['chromium-headless-shell'],
    leftOut: 'the stage browser',
  },
  python3: aTool('python3', 'python3', 'guides and examples in Python'),
  pip: {
    isThere: () => runs('python3', '-m', 'pip', '--version'),
    packages: ['python3-pip'],
    leftOut: 'examples with packages of Python, and mongod where there is none',
  },
  php: aTool('php', 'php-cli', 'guides and examples in PHP'),
  'docker-compose': {
    isThere: async () => (await runs('docker-compose', 'version')) || runs('docker', 'compose', 'version'),
    packages: ['docker-compose'],
    leftOut: 'docker-compose.yml as docker-compose reads it',
  },
  cc: aTool('cc', 'gcc libc6-dev', 'faults of the clock'),
  git: aTool('git', 'git', 'the stages comments and docs, which read the list of files'),
  luacheck: aTool('luacheck', 'lua-check', 'the check of the Lua code'),
  age: aTool('age', 'age', 'encrypted backups'),
  curl: aTool('curl', 'curl', 'commands that the pages offer to copy'),
  openssl: { ...aTool('openssl', 'openssl', 'Redis with TLS'), isThere: () => runs('openssl', 'version') },
  prlimit: aTool('prlimit', 'util-linux', 'full disks and exhausted files'),
};

/** How this process may install packages of Debian: as root, and in CI also with a sudo that asks nothing. */
async function mayInstall(isCi: boolean): Promise<boolean> {
  if (findCommand('apt-get') === undefined) return false;
  return process.getuid?.() === 0 || (isCi && (await runs('sudo', '-n', 'true')));
}

/**
 * Brings the tools: says in one line what it installs, and installs it with Debian's package manager. Without the
 * right to do so, it says which tools are missing and what is left out.
 *
 * @returns why each of the missing ones is missing.
 */
export async function provideTools(
  wanted: ReadonlySet<TestTool>,
  isCi: boolean,
  say: (line: string) => void,
): Promise<ReadonlyMap<TestTool, string>> {
  const ofDebian = [...wanted, ...(wanted.has('mongod') && !(await hasMongod()) ? ['pip' as const] : [])].filter(
    (name) => name !== 'mongod',
  );
  let missing = await missingOf([...new Set(ofDebian)]);
  if (missing.length > 0 && (await mayInstall(isCi))) {
    const installer = aptInstaller(packagesOf(missing), process.getuid?.() === 0);
    say(`  installing: ${installer.shown}`);
    await install(installer, new AbortController().signal).catch((error: unknown) => say(`  ${messageOf(error)}`));
    missing = await missingOf(missing);
  }
  const reasons = new Map<TestTool, string>(missing.map((name) => [name, `${name} is missing`]));
  if (wanted.has('mongod')) {
    await findMongod((command) => {
      if (reasons.has('pip')) throw new Error('mongod is missing, and without pip it cannot be fetched');
      say(`  fetching mongod: ${command}`);
    }).catch((error: unknown) => reasons.set('mongod', messageOf(error)));
  }
  if (reasons.size > 0) tellMissing(reasons, say);
  return reasons;
}

const hasMongod = (): Promise<boolean> =>
  findMongod(() => {
    throw new Error('only to look');
  }).then(
    () => true,
    () => false,
  );

async function missingOf<Name extends keyof typeof TOOLS>(names: readonly Name[]): Promise<Name[]> {
  const found = await Promise.all(names.map((name) => TOOLS[name].isThere()));
  return names.filter((_name, i) => found[i] === false);
}

const packagesOf = (names: readonly (keyof typeof TOOLS)[]): string =>
  names.flatMap((name) => TOOLS[name].packages).join(' ');

const leftOutWithout = (tool: TestTool): string =>
  tool === 'mongod' ? 'the subscription store in MongoDB' : TOOLS[tool].leftOut;

function tellMissing(reasons: ReadonlyMap<TestTool, string>, say: (line: string) => void): void {
  const names = [...reasons.keys()];
  say('Missing on this machine, and left out without them:');
  for (const name of names) say(`  ${name.padEnd(16)}${leftOutWithout(name)}`);
  const packages = packagesOf(names.filter((name) => name !== 'mongod'));
  if (packages !== '') say(`On Debian this brings them: ${aptInstaller(packages, false).shown}`);
}
