import { readConfig } from '@mailhook/platform/config';
import { SERVICES, SHAPES, defaultOf, read, readYaml, strange, textOf } from './deployed.suite.ts';
import { at, itemsAt, mapAt, textAt } from './yaml.ts';

const [compose] = readYaml('docker-compose.yml');

describe('docker-compose.yml', () => {
  test('has the three services and their databases, and no name, so that the folder distinguishes two copies', () => {
    expect(at(compose, 'name')).toBeUndefined();
    expect(Object.keys(mapAt(compose, 'services')).sort()).toEqual(['mongo', 'redis', ...SERVICES].sort());
  });

  test.each(SERVICES)('%s gets only variables that it reads, and accepts their values', (service) => {
    const given = mapAt(compose, `services.${service}.environment`);
    expect(strange(Object.keys(given), service)).toEqual([]);
    const filledIn = Object.entries(given).map(([name, value]) => [
      name,
      textOf(value).replace(/\$\{(\w+)[^}]*\}/g, (_all, secret: string) =>
        secret.endsWith('_TOKEN') ? 'token'.repeat(5) : '',
      ),
    ]);
    expect(() => readConfig(SHAPES[service], Object.fromEntries(filledIn) as NodeJS.ProcessEnv)).not.toThrow();
  });

  test('secrets come from .env, and .env.example lists them all without values', () => {
    const asked = [...new Set([...read('docker-compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name))];
    const offered = read('.env.example')
      .split('\n')
      .filter((line) => !line.startsWith('#') && line !== '');
    expect(offered).toEqual(asked.map((name) => `${name ?? ''}=`));
    expect(strange(asked.map(String), 'api')).toEqual([]);
    expect(read('.gitignore').split('\n')).toContain('.env');
  });

  test.each(SERVICES)('only the api publishes ports, the operations port only to this machine: %s', (service) => {
    const expected =
      service === 'api' ? [`3000:${defaultOf('api', 'PORT')}`, `127.0.0.1:3100:${defaultOf('api', 'OPS_PORT')}`] : [];
    expect(itemsAt(compose, `services.${service}.ports`)).toEqual(expected);
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

  test('Redis persists and never evicts, and MongoDB has a volume', () => {
    const command = itemsAt(compose, 'services.redis.command').map(textOf).join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(itemsAt(compose, 'services.redis.volumes')).toEqual(['redis-data:/data']);
    expect(itemsAt(compose, 'services.mongo.volumes')).toEqual(['mongo-data:/data/db']);
    expect(Object.keys(mapAt(compose, 'volumes')).sort()).toEqual(['mongo-data', 'redis-data']);
  });
});
