import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { workerCloseTimeoutMs } from '@mailhook/delivery';
import { readConfig } from '@mailhook/platform/config';
import {
  ROOT,
  SERVICES,
  SHAPES,
  namesOf,
  portsOf,
  read,
  readEnv,
  readYaml,
  strange,
  textOf,
} from './deployed.suite.ts';
import type { Yaml } from './yaml.ts';
import { at, itemsAt, mapAt, textAt } from './yaml.ts';

const [compose] = readYaml('docker-compose.yml');
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
const configMap = readEnv('k8s/base/mailhook.env');

/** The longest time that the service's process takes to stop. */
function closeTimeoutMs(service: string, deliveryTimeoutMs: number): number {
  const [, what = ''] = /closeTimeoutMs: (.+),/.exec(read(`services/${service}/src/main.ts`)) ?? [];
  if (what === 'workerCloseTimeoutMs') return workerCloseTimeoutMs({ DELIVERY_TIMEOUT_MS: deliveryTimeoutMs });
  return Number(/^\(\) => ([\d_]+)$/.exec(what)?.[1]?.replaceAll('_', ''));
}

describe('the manifests', () => {
  test.each([BASE, OVERLAY])('of %s are all in its kustomization', (folder) => {
    const [kustomization] = readYaml(`${folder}/kustomization.yaml`);
    const listed = itemsAt(kustomization, 'resources').map(textOf);
    const present = readdirSync(path.join(ROOT, folder)).filter(
      (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
    );
    expect(listed.filter((name) => !name.startsWith('..')).sort()).toEqual(present.sort());
    expect(listed.filter((name) => !existsSync(path.join(ROOT, folder, name)))).toEqual([]);
  });

  test('name no namespace, so that the person who applies them chooses', () => {
    expect(all.filter((one) => at(one, 'metadata.namespace') !== undefined)).toEqual([]);
  });

  test('set only variables that a service reads', () => {
    const known = SERVICES.flatMap(namesOf);
    expect(Object.keys(configMap).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('replace the pods when the configuration changes', () => {
    const [kustomization] = readYaml(`${BASE}/kustomization.yaml`);
    expect(itemsAt(kustomization, 'configMapGenerator')).toEqual([{ name: 'mailhook', envs: ['mailhook.env'] }]);
    expect(at(kustomization, 'generatorOptions')).toBeUndefined();
  });

  test('expose only the public port', () => {
    const [ingress, ...more] = ofKind('Ingress');
    expect(more).toEqual([]);
    const backends = itemsAt(ingress, 'spec.rules').flatMap((rule) =>
      itemsAt(rule, 'http.paths').map((one) => mapAt(one, 'backend.service')),
    );
    expect(backends).toEqual([{ name: 'api', port: { name: 'http' } }]);
    const types = ofKind('Service').map((one) => textAt(one, 'spec.type'));
    expect(types.filter((type) => type !== '')).toEqual([]);
  });

  test('services target ports that their pods have', () => {
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

  test('network policies name only ports that a container listens on', () => {
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

/** A pod starts without them. */
const OPTIONAL_SECRETS = ['EGRESS_PROXY_URL', 'OPERATIONS_WEBHOOK_SECRET', 'SECRETS_KEY', 'SMTP_URL'];

describe.each(SERVICES)('the deployment of %s', (service) => {
  const pod = at(named('Deployment', service), 'spec.template.spec');
  const [container] = itemsAt(pod, 'containers');
  const variables = itemsAt(container, 'env');

  test('sets only variables that the service reads, all by reference to the secret', () => {
    const names = variables.map((one) => textAt(one, 'name'));
    expect(strange(names, service)).toEqual([]);
    for (const variable of variables) {
      expect(mapAt(variable, 'valueFrom.secretKeyRef')).toEqual({
        name: 'mailhook-secrets',
        key: textAt(variable, 'name'),
        ...(OPTIONAL_SECRETS.includes(textAt(variable, 'name')) ? { optional: 'true' } : {}),
      });
    }
  });

  test('has a valid configuration with the config map and a secret', () => {
    const secret = {
      REDIS_URL: 'redis://redis:6379',
      MONGO_URL: 'mongodb://mongo/mailhook',
      ADMIN_TOKEN: 'admin-token-of-the-secret',
      PRODUCER_TOKEN: 'producer-token-of-the-secret',
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

  test('has time to stop: more than the delivery deadline, and more than the process needs at most', () => {
    const graceMs = 1000 * Number(textAt(pod, 'terminationGracePeriodSeconds'));
    const [, , preStop] = itemsAt(container, 'lifecycle.preStop.exec.command').map(textOf);
    const preStopMs = Number(/ (\d+)_000\)$/.exec(preStop ?? ' 0_000)')?.[1]) * 1000;
    const deliveryTimeoutMs = Number(configMap['DELIVERY_TIMEOUT_MS']);
    expect(graceMs).toBeGreaterThan(deliveryTimeoutMs + preStopMs);
    expect(graceMs).toBeGreaterThan(closeTimeoutMs(service, deliveryTimeoutMs) + preStopMs);
    expect(textAt(compose, `services.${service}.stop_grace_period`)).toBe(`${(graceMs - preStopMs) / 1000}s`);
  });

  test('has a disruption budget that lets nodes be drained while Redis is away', () => {
    expect(mapAt(named('PodDisruptionBudget', service), 'spec')).toMatchObject({
      maxUnavailable: '1',
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    });
  });

  test('has an image name that nobody owns, and its own preStop program', () => {
    expect(textAt(container, 'image')).toBe(`registry.invalid/mailhook/${service}`);
    const [program = 'node'] = itemsAt(container, 'lifecycle.preStop.exec.command').map(textOf);
    expect(program).toBe('node');
  });
});

test.each([...SERVICES, 'redis', 'mongo'])('%s runs without root and with a read-only file system', (name) => {
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
