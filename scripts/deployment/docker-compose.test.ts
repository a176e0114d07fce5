import { describeEnvironment, readConfig } from '@mailhook/platform/config';
import { SERVICES, SHAPES, defaultOf, read, readYaml, strange, textOf } from './deployed.suite.ts';
import { at, itemsAt, mapAt, textAt } from './yaml.ts';

const [compose] = readYaml('docker-compose.yml');

const OWN = ['mongo', 'redis'];
const WORKERS = ['transactional-notifier', 'campaign-batcher'] as const;
/** The capabilities of the few services that need one. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  proxy: ['NET_BIND_SERVICE'],
  'backup-redis': ['DAC_OVERRIDE'],
  'backup-mongo': ['DAC_OVERRIDE'],
  'restore-redis': ['CHOWN', 'DAC_OVERRIDE'],
  'restore-mongo': ['DAC_OVERRIDE'],
};
/** The name of a service without the number of a further replica. */
const kindOf = (name: string): string => name.replace(/-2$/, '');
/** Variables that Node or OpenTelemetry read themselves. */
const isOfNode = (name: string): boolean =>
  name === 'NODE_EXTRA_CA_CERTS' || (name.startsWith('OTEL_') && !Object.hasOwn(SHAPES.api, name));
const profilesOf = (name: string): string[] => itemsAt(compose, `services.${name}.profiles`).map(textOf);

describe('docker-compose.yml', () => {
  test('has the three services and their databases, all others in a profile, and no name', () => {
    expect(at(compose, 'name')).toBeUndefined();
    const names = Object.keys(mapAt(compose, 'services'));
    expect(names.filter((name) => profilesOf(name).length === 0).sort()).toEqual([...OWN, ...SERVICES].sort());
  });

  test('the api gets every variable of .env, and refuses misspelled ones; no other service does', () => {
    const names = Object.keys(mapAt(compose, 'services'));
    const withFile = names.filter((name) => at(compose, `services.${name}.env_file`) !== undefined);
    expect(withFile).toEqual(['api']);
  });

  test.each(SERVICES)('%s accepts the values that are set here', (service) => {
    const given = mapAt(compose, `services.${service}.environment`);
    expect(strange(Object.keys(given), service).filter((name) => !isOfNode(name))).toEqual([]);
    const set = Object.entries(given).filter(([, value]) => textOf(value) !== '');
    const filledIn = set.map(([name, value]) => [
      name,
      textOf(value).replace(/\$\{(\w+)(?::-([^}]*))?[^}]*\}/g, (_all, variable: string, preset?: string) =>
        variable.endsWith('_TOKEN') ? `the-token-for-${variable}` : (preset ?? ''),
      ),
    ]);
    expect(() => readConfig(SHAPES[service], Object.fromEntries(filledIn) as NodeJS.ProcessEnv)).not.toThrow();
  });

  test.each(WORKERS)(
    '%s gets exactly the variables that it reads, and has a second replica in the profile production',
    (worker) => {
      const given = Object.keys(mapAt(compose, `services.${worker}.environment`)).filter((name) => !isOfNode(name));
      const read = describeEnvironment(SHAPES[worker]).map(({ name }) => name);
      expect(given.sort()).toEqual(read.sort());
      expect(profilesOf(`${worker}-2`)).toEqual(['production']);
      const { ports, profiles, ...second } = mapAt(compose, `services.${worker}-2`);
      expect([ports, profiles].every((one) => one !== undefined)).toBe(true);
      expect(mapAt(compose, `services.${worker}`)).toMatchObject(second);
    },
  );

  test('.env.example has what docker-compose.yml needs, and only variables of the api, compose and tracing', () => {
    const asked = [...new Set([...read('docker-compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''))];
    const offered = read('.env.example')
      .split('\n')
      .filter((line) => !line.startsWith('#') && line !== '')
      .map((line) => /^(\w+)=$/.exec(line)?.[1] ?? line);
    expect(asked.filter((name) => !offered.includes(name) && name !== 'COMPOSE_REGISTRY')).toEqual([]);
    expect(strange(offered, 'api').filter((name) => !name.startsWith('COMPOSE_'))).toEqual([]);
    expect(read('.gitignore').split('\n')).toEqual(expect.arrayContaining(['.env', 'backups/']));
  });

  test('every container is read-only, without capabilities, new privileges or endless processes', () => {
    for (const [name, service] of Object.entries(mapAt(compose, 'services'))) {
      expect([name, textAt(service, 'read_only')]).toEqual([name, 'true']);
      expect([name, itemsAt(service, 'cap_drop').map(textOf)]).toEqual([name, ['ALL']]);
      expect([name, itemsAt(service, 'security_opt').map(textOf)]).toEqual([name, ['no-new-privileges:true']]);
      expect([name, Number(textAt(service, 'pids_limit'))]).toEqual([name, expect.any(Number)]);
      expect([name, itemsAt(service, 'cap_add').map(textOf)]).toEqual([name, RIGHTS[name] ?? []]);
    }
  });

  test('operations ports are published only to this machine, each on a different port', () => {
    const published = Object.keys(mapAt(compose, 'services')).flatMap((name) =>
      itemsAt(compose, `services.${name}.ports`).map((port) => `${kindOf(name)} ${textOf(port)}`),
    );
    expect(published).toEqual([
      'api ${COMPOSE_BIND:-0.0.0.0}:3000:3000',
      'api 127.0.0.1:3100:3100',
      'transactional-notifier 127.0.0.1:3101:3101',
      'campaign-batcher 127.0.0.1:3102:3102',
      'proxy 80:80',
      'proxy 443:443',
      'transactional-notifier 127.0.0.1:3111:3101',
      'campaign-batcher 127.0.0.1:3112:3102',
    ]);
  });

  test.each(SERVICES)('%s is built here as its target, and its health is asked on its operations port', (service) => {
    expect(mapAt(compose, `services.${service}.build`)).toEqual({ context: '.', target: service });
    expect(textAt(compose, `services.${service}.image`)).toMatch(/^\$\{COMPOSE_REGISTRY:-registry\.invalid\}\//);
    expect(textAt(compose, `services.${service}.pull_policy`)).toBe('build');
    const port = mapAt(compose, `services.${service}.environment`)['OPS_PORT'];
    expect(port).toBe(defaultOf(service, 'OPS_PORT'));
    expect(textOf(itemsAt(compose, `services.${service}.healthcheck.test`).at(-1))).toContain(
      `http://127.0.0.1:${textOf(port)}/healthz`,
    );
  });

  test('each service waits until its databases are healthy', () => {
    for (const service of SERVICES) {
      const needs = mapAt(compose, `services.${service}.depends_on`);
      expect(Object.keys(needs).sort()).toEqual(service === 'api' ? ['mongo', 'redis'] : ['redis']);
      for (const [needed, how] of Object.entries(needs)) {
        expect(textAt(how, 'condition')).toBe('service_healthy');
        expect(textAt(compose, `services.${needed}.healthcheck.test`)).not.toBe('');
      }
    }
  });

  test('Redis persists without snapshots, never evicts and compresses backlogs, and MongoDB has a volume', () => {
    const command = itemsAt(compose, 'services.redis.command').map(textOf).join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--save  --maxmemory');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(command).toContain('--list-compress-depth 1');
    expect(itemsAt(compose, 'services.redis.volumes')).toEqual(['redis-data:/data']);
    expect(itemsAt(compose, 'services.mongo.volumes')).toEqual(['mongo-data:/data/db']);
  });
});
