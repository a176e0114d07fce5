import { SERVICES, portsOf, read } from './deployed.suite.ts';
import type { Instruction } from './dockerfile.ts';
import { entersBuild, readInstructions } from './dockerfile.ts';

const instructions = readInstructions(read('Dockerfile'));

/** The instructions of a target and of the stages that it begins from. */
function stage(target: string): Instruction[] {
  const start = instructions.findIndex(({ name, argument }) => name === 'FROM' && argument.endsWith(` AS ${target}`));
  if (start < 0) return [];
  const end = instructions.findIndex(({ name }, i) => i > start && name === 'FROM');
  const base = (instructions[start]?.argument ?? '').split(' ')[0] ?? '';
  return [...stage(base), ...instructions.slice(start, end < 0 ? undefined : end)];
}
const argumentsOf = (target: string, wanted: string): string[] =>
  stage(target)
    .filter(({ name }) => name === wanted)
    .map(({ argument }) => argument);

test('the images begin with pinned bases', () => {
  const bases = instructions
    .filter(({ name }) => name === 'FROM')
    .map(({ argument }) => argument.split(' ')[0] ?? '')
    .filter((base) => stage(base).length === 0);
  expect(bases).toEqual([
    expect.stringMatching(/^node:\d+\.\d+\.\d+-[a-z]+-slim$/),
    expect.stringMatching(/^gcr\.io\/distroless\/cc-debian\d+:nonroot$/),
  ]);
});

test('the manifests of all workspaces are there before dependencies are installed', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, unknown> };
  const folders = Object.keys(packages).filter((folder) => /^(packages\/[^/]+|services\/[^/]+|scripts)$/.test(folder));
  expect(argumentsOf('manifests', 'COPY')).toEqual([
    'package.json package-lock.json ./',
    ...folders.sort().map((folder) => `${folder}/package.json ${folder}/`),
  ]);
});

describe.each(SERVICES)('the image of %s', (service) => {
  test('sets a user other than root', () => {
    expect(argumentsOf(service, 'USER')).toEqual(['1000:1000']);
  });
  test('exposes the ports of the configuration', () => {
    expect(argumentsOf(service, 'EXPOSE')).toEqual([Object.values(portsOf(service)).join(' ')]);
  });
  test('has no development dependencies, the compiled packages it depends on, and starts its own service', () => {
    const dependencies = service === 'api' ? 'api-dependencies' : 'worker-dependencies';
    expect(argumentsOf(service, 'COPY')).toContain(`--from=${dependencies} /build ./`);
    expect(argumentsOf(dependencies, 'RUN').at(-1)).toMatch(
      new RegExp(String.raw`^npm ci --omit=dev .*-w @mailhook/${service}\b`),
    );
    for (const folder of dependenciesOf(`services/${service}`))
      expect(argumentsOf(service, 'COPY')).toContain(`--from=build /build/${folder}/dist ${folder}/dist`);
    expect(argumentsOf(service, 'CMD')).toEqual([`["node", "services/${service}/dist/main.js"]`]);
  });
});

test('what the images copy from the repository enters the build', () => {
  const copied = instructions
    .filter(({ name, argument }) => name === 'COPY' && !argument.startsWith('--from') && argument !== '. .')
    .flatMap(({ argument }) => argument.split(' ').slice(0, -1));
  expect(copied).toEqual(expect.arrayContaining(['docs/guides', 'docs/protocol.md', 'docs/runbook.md']));
  for (const file of [...copied, 'scripts/mailhook-tools.ts'])
    expect([file, entersBuild(read('.dockerignore'), file)]).toEqual([file, true]);
});

/** Returns the folders of a workspace and of all workspaces that it depends on. */
function dependenciesOf(folder: string, seen = new Set<string>()): Set<string> {
  seen.add(folder);
  const manifest = JSON.parse(read(`${folder}/package.json`)) as { dependencies?: Record<string, string> };
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const inner = name.replace('@mailhook/', 'packages/');
    if (inner !== name && !seen.has(inner)) dependenciesOf(inner, seen);
  }
  return seen;
}
