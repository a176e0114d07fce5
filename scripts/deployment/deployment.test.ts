import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describeEnvironment, readConfig } from '@mailhook/platform/config';
import { environment as api } from '../../services/api/src/config.ts';
import { environment as campaignBatcher } from '../../services/campaign-batcher/src/config.ts';
import { environment as transactionalNotifier } from '../../services/transactional-notifier/src/config.ts';
import { readInstructions } from './dockerfile.ts';
import type { Yaml } from './yaml.ts';
import { at, itemsAt, mapAt, readYaml as parseYaml, textAt } from './yaml.ts';

const ROOT = path.join(__dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const textOf = (value: Yaml | undefined): string => (typeof value === 'string' ? value : '');
const readYaml = (file: string): Yaml[] => parseYaml(read(file));

const SHAPES = { api, 'transactional-notifier': transactionalNotifier, 'campaign-batcher': campaignBatcher };
const SERVICES = ['api', 'transactional-notifier', 'campaign-batcher'] as const;
type Service = (typeof SERVICES)[number];

const defaultOf = (service: Service, variable: string): string =>
  describeEnvironment(SHAPES[service]).find(({ name }) => name === variable)?.default ?? '';
/** The ports of a service by the names that manifests give them. */
const portsOf = (service: Service): Record<string, string> => ({
  ...(service === 'api' ? { http: defaultOf(service, 'PORT') } : {}),
  operations: defaultOf(service, 'OPS_PORT'),
});
const namesOf = (service: Service): string[] => Object.keys(SHAPES[service]);
const strange = (names: Iterable<string>, service: Service): string[] =>
  [...names].filter((name) => !namesOf(service).includes(name));

const [compose] = readYaml('docker-compose.yml');

describe('docker-compose.yml', () => {
  test('has the three services and what they need, and no name: the folder tells two copies apart', () => {
    expect(at(compose, 'name')).toBeUndefined();
    expect(Object.keys(mapAt(compose, 'services')).sort()).toEqual(['mongo', 'redis', ...SERVICES].sort());
  });

  test.each(SERVICES)('%s gets variables that it reads, and starts with them', (service) => {
    const given = mapAt(compose, `services.${service}.environment`);
    expect(strange(Object.keys(given), service)).toEqual([]);
    const filledIn = Object.entries(given).map(([name, value]) => [
      name,
      textOf(value).replace(/\$\{(\w+)[^}]*\}/g, (_all, secret: string) => (secret.endsWith('_TOKEN') ? 'token' : '')),
    ]);
    expect(() => readConfig(SHAPES[service], Object.fromEntries(filledIn) as NodeJS.ProcessEnv)).not.toThrow();
  });

  test('secrets come from .env, and .env.example has them all, without values', () => {
    const asked = [...read('docker-compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const offered = read('.env.example')
      .split('\n')
      .filter((line) => !line.startsWith('#') && line !== '');
    expect(offered).toEqual(asked.map((name) => `${name ?? ''}=`));
    expect(strange(asked.map(String), 'api')).toEqual([]);
    expect(read('.gitignore').split('\n')).toContain('.env');
  });

  test.each(SERVICES)('%s is published on its own ports, operations to this machine only', (service) => {
    const expected =
      service === 'api' ? [`3000:${defaultOf('api', 'PORT')}`, `127.0.0.1:3100:${defaultOf('api', 'OPS_PORT')}`] : [];
    expect(itemsAt(compose, `services.${service}.ports`)).toEqual(expected);
  });

  test('who depends on somebody waits until that one is healthy', () => {
    for (const service of SERVICES) {
      const needs = mapAt(compose, `services.${service}.depends_on`);
      expect(Object.keys(needs).sort()).toEqual(service === 'api' ? ['mongo', 'redis'] : ['redis']);
      for (const [needed, how] of Object.entries(needs)) {
        expect(textAt(how, 'condition')).toBe('service_healthy');
        expect(textAt(compose, `services.${needed}.healthcheck.test`)).not.toBe('');
      }
    }
  });

  test('Redis keeps and never evicts, MongoDB has a volume', () => {
    const command = itemsAt(compose, 'services.redis.command').map(textOf).join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(itemsAt(compose, 'services.redis.volumes')).toEqual(['redis-data:/data']);
    expect(itemsAt(compose, 'services.mongo.volumes')).toEqual(['mongo-data:/data/db']);
    expect(Object.keys(mapAt(compose, 'volumes')).sort()).toEqual(['mongo-data', 'redis-data']);
  });
});

describe.each(SERVICES)('the Dockerfile of %s', (service) => {
  const file = `services/${service}/Dockerfile`;
  const instructions = readInstructions(read(file));
  const argumentsOf = (wanted: string): string[] =>
    instructions.filter(({ name }) => name === wanted).map(({ argument }) => argument);

  test('ends as a user who is not root', () => {
    expect(argumentsOf('USER')).toEqual(['1000:1000']);
  });
  test('starts from Node pinned by its full version', () => {
    const bases = argumentsOf('FROM').map((from) => from.replace(/ AS .*/, ''));
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:\d+\.\d+\.\d+-[a-z]+-slim$/);
  });
  test('has the ports of the configuration, and a health check on the operations port', () => {
    expect(argumentsOf('EXPOSE')).toEqual([Object.values(portsOf(service)).join(' ')]);
    expect(argumentsOf('HEALTHCHECK')[0]).toContain(`process.env.OPS_PORT || ${defaultOf(service, 'OPS_PORT')}) +`);
    expect(argumentsOf('HEALTHCHECK')[0]).toContain('/healthz');
  });
  test('leaves development dependencies out and starts its own service', () => {
    expect(argumentsOf('RUN')[0]).toMatch(new RegExp(`npm ci --omit=dev .*-w @mailhook/${service}$`));
    expect(argumentsOf('CMD')).toEqual([`["node", "services/${service}/dist/main.js"]`]);
  });
  test('takes along every package that the service is made of', () => {
    const manifests = [...dependenciesOf(`services/${service}`)].map((folder) => `${folder}/package.json`);
    const copied = (argumentsOf('RUN')[1] ?? '').split(' ').filter((word) => word.endsWith('/package.json'));
    expect(copied.sort()).toEqual(manifests.sort());
  });
});

/** The folders of a workspace and of all workspaces that it depends on. */
function dependenciesOf(folder: string, seen = new Set<string>()): Set<string> {
  seen.add(folder);
  const manifest = JSON.parse(read(`${folder}/package.json`)) as { dependencies?: Record<string, string> };
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const inner = name.replace('@mailhook/', 'packages/');
    if (inner !== name && !seen.has(inner)) dependenciesOf(inner, seen);
  }
  return seen;
}

const BASE = 'k8s/base';
const OVERLAY = 'k8s/overlays/single-node';
const manifestsIn = (folder: string): Yaml[] =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .flatMap((name) => readYaml(`${folder}/${name}`));
const base = manifestsIn(BASE);
const all = [...base, ...manifestsIn(OVERLAY)];
const ofKind = (kind: string, from = all): Yaml[] => from.filter((one) => textAt(one, 'kind') === kind);
const named = (kind: string, name: string): Yaml | undefined =>
  ofKind(kind).find((one) => textAt(one, 'metadata.name') === name);
const configMap = mapAt(named('ConfigMap', 'mailhook'), 'data');

describe('the manifests', () => {
  test.each([BASE, OVERLAY])('of %s are all in its kustomization', (folder) => {
    const [kustomization] = readYaml(`${folder}/kustomization.yaml`);
    const listed = itemsAt(kustomization, 'resources').map(textOf);
    const present = readdirSync(path.join(ROOT, folder)).filter((name) => name !== 'kustomization.yaml');
    expect(listed.filter((name) => !name.startsWith('..')).sort()).toEqual(present.sort());
    expect(listed.filter((name) => !existsSync(path.join(ROOT, folder, name)))).toEqual([]);
  });

  test('name no namespace: whoever applies them chooses', () => {
    expect(all.filter((one) => at(one, 'metadata.namespace') !== undefined)).toEqual([]);
  });

  test('configure nothing that no service reads', () => {
    const known = SERVICES.flatMap(namesOf);
    expect(Object.keys(configMap).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('let only the public port in from outside', () => {
    const [ingress, ...more] = ofKind('Ingress');
    expect(more).toEqual([]);
    const backends = itemsAt(ingress, 'spec.rules').flatMap((rule) =>
      itemsAt(rule, 'http.paths').map((one) => mapAt(one, 'backend.service')),
    );
    expect(backends).toEqual([{ name: 'api', port: { name: 'http' } }]);
    const types = ofKind('Service').map((one) => textAt(one, 'spec.type'));
    expect(types.filter((type) => type !== '')).toEqual([]);
  });

  test('services lead to ports that their pods have', () => {
    expect(ofKind('Service')).toHaveLength(6);
    for (const service of ofKind('Service')) {
      const app = textOf(mapAt(service, 'spec.selector')['app.kubernetes.io/name']);
      const containers = itemsAt(
        named('Deployment', app) ?? named('StatefulSet', app),
        'spec.template.spec.containers',
      );
      const open = containers.flatMap((one) => itemsAt(one, 'ports'));
      for (const port of itemsAt(service, 'spec.ports')) {
        const target = open.find((one) => textAt(one, 'name') === textAt(port, 'targetPort'));
        expect(textAt(target, 'containerPort')).toBe(textAt(port, 'port'));
      }
    }
  });

  test('network policies name ports that somebody listens on', () => {
    const listening = [...ofKind('Deployment'), ...ofKind('StatefulSet')].flatMap((one) =>
      itemsAt(one, 'spec.template.spec.containers').flatMap((container) =>
        itemsAt(container, 'ports').map((port) => textAt(port, 'containerPort')),
      ),
    );
    const policies = ofKind('NetworkPolicy');
    const rules = policies.flatMap((one) => [...itemsAt(one, 'spec.ingress'), ...itemsAt(one, 'spec.egress')]);
    const ports = rules.flatMap((rule) => itemsAt(rule, 'ports').map((port) => textAt(port, 'port')));
    const dns = '53';
    expect(new Set(ports)).toEqual(new Set([...listening, dns]));
  });
});

describe.each(SERVICES)('the deployment of %s', (service) => {
  const pod = at(named('Deployment', service), 'spec.template.spec');
  const [container] = itemsAt(pod, 'containers');
  const variables = itemsAt(container, 'env');

  test('gives variables that the service reads, tokens and addresses by reference to the secret', () => {
    const names = variables.map((one) => textAt(one, 'name'));
    expect(strange(names, service)).toEqual([]);
    for (const variable of variables) {
      expect(mapAt(variable, 'valueFrom.secretKeyRef')).toEqual({
        name: 'mailhook-secrets',
        key: textAt(variable, 'name'),
      });
    }
  });

  test('starts with the config map and such a secret', () => {
    const secret = {
      REDIS_URL: 'redis://redis:6379',
      MONGO_URL: 'mongodb://mongo/mailhook',
      ADMIN_TOKEN: 'a',
      PRODUCER_TOKEN: 'b',
    };
    const referred = Object.entries(secret).filter(([name]) => variables.some((one) => textAt(one, 'name') === name));
    const env = { ...configMap, ...Object.fromEntries(referred) } as NodeJS.ProcessEnv;
    expect(() => readConfig(SHAPES[service], env)).not.toThrow();
  });

  test('has the ports of the configuration, and probes on the operations port', () => {
    const ports = itemsAt(container, 'ports').map((one) => [textAt(one, 'name'), textAt(one, 'containerPort')]);
    expect(Object.fromEntries(ports)).toEqual(portsOf(service));
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) =>
      mapAt(container, `${probe}.httpGet`),
    );
    expect(probes).toEqual(
      ['/healthz', '/healthz', '/readyz'].map((address) => ({ path: address, port: 'operations' })),
    );
  });

  test('has time to stop: above the delivery deadline, and above what the process takes at most', () => {
    const graceMs = 1000 * Number(textAt(pod, 'terminationGracePeriodSeconds'));
    const preStopMs = 1000 * Number(itemsAt(container, 'lifecycle.preStop.exec.command')[1] ?? 0);
    const closeTimeout = /closeTimeoutMs: ([\d_]+)/.exec(read(`services/${service}/src/main.ts`))?.[1] ?? '';
    expect(graceMs).toBeGreaterThan(Number(configMap['DELIVERY_TIMEOUT_MS']) + preStopMs);
    expect(graceMs).toBeGreaterThan(Number(closeTimeout.replaceAll('_', '')) + preStopMs);
    expect(textAt(compose, `services.${service}.stop_grace_period`)).toBe(`${graceMs / 1000}s`);
  });

  test('has a disruption budget', () => {
    expect(textAt(named('PodDisruptionBudget', service), 'spec.maxUnavailable')).toBe('1');
  });
});

test.each([...SERVICES, 'redis', 'mongo'])('%s runs without root and without a file system to write to', (name) => {
  const pod = at(named('Deployment', name) ?? named('StatefulSet', name), 'spec.template.spec');
  const [container, ...more] = itemsAt(pod, 'containers');
  expect(more).toEqual([]);
  expect(textAt(pod, 'securityContext.runAsNonRoot')).toBe('true');
  expect(textAt(pod, 'automountServiceAccountToken')).toBe('false');
  expect(mapAt(container, 'securityContext')).toEqual({
    allowPrivilegeEscalation: 'false',
    readOnlyRootFilesystem: 'true',
    capabilities: { drop: ['ALL'] },
  });
  expect(textAt(container, 'resources.requests.memory')).not.toBe('');
  expect(textAt(container, 'resources.limits.memory')).not.toBe('');
});
