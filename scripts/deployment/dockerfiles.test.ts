import { SERVICES, defaultOf, portsOf, read } from './deployed.suite.ts';
import { entersBuild, readInstructions } from './dockerfile.ts';

describe.each(SERVICES)('the Dockerfile of %s', (service) => {
  const file = `services/${service}/Dockerfile`;
  const instructions = readInstructions(read(file));
  const argumentsOf = (wanted: string): string[] =>
    instructions.filter(({ name }) => name === wanted).map(({ argument }) => argument);

  test('sets a user other than root', () => {
    expect(argumentsOf('USER')).toEqual(['1000:1000']);
  });
  test('starts from Node, pinned to a full version', () => {
    const bases = argumentsOf('FROM').map((from) => from.replace(/ AS .*/, ''));
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:\d+\.\d+\.\d+-[a-z]+-slim$/);
  });
  test('exposes the ports of the configuration, and a health check on the operations port', () => {
    expect(argumentsOf('EXPOSE')).toEqual([Object.values(portsOf(service)).join(' ')]);
    expect(argumentsOf('HEALTHCHECK')[0]).toContain(`process.env.OPS_PORT || ${defaultOf(service, 'OPS_PORT')}) +`);
    expect(argumentsOf('HEALTHCHECK')[0]).toContain('/healthz');
  });
  test('leaves development dependencies out and starts its own service', () => {
    expect(argumentsOf('RUN')[0]).toMatch(new RegExp(`npm ci --omit=dev .*-w @mailhook/${service}$`));
    expect(argumentsOf('CMD')).toEqual([`["node", "services/${service}/dist/main.js"]`]);
  });
  test('copies the manifest of every package that the service depends on', () => {
    const manifests = [...dependenciesOf(`services/${service}`)].map((folder) => `${folder}/package.json`);
    const copied = (argumentsOf('RUN')[1] ?? '').split(' ').filter((word) => word.endsWith('/package.json'));
    expect(copied.sort()).toEqual(manifests.sort());
  });
});

test('the image of the api contains the documents that it serves, and they enter the build', () => {
  const copy = readInstructions(read('services/api/Dockerfile')).find(({ argument }) => argument.includes('cp -a'));
  for (const served of ['docs/guides', 'docs/protocol.md', 'docs/runbook.md']) {
    expect(copy?.argument.split(' ')).toContain(served);
    expect(entersBuild(read('.dockerignore'), served)).toBe(true);
  }
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
