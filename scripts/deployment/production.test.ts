import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describeEnvironment } from '@mailhook/platform/config';
import { environment as api } from '../../services/api/src/config.ts';
import { environment as campaignBatcher } from '../../services/campaign-batcher/src/config.ts';
import { environment as transactionalNotifier } from '../../services/transactional-notifier/src/config.ts';
import { readEnv } from './deployed.suite.ts';
import type { Yaml } from './yaml.ts';
import { at, itemsAt, mapAt, readYaml, textAt } from './yaml.ts';

const ROOT = path.join(__dirname, '../..');
const OVERLAY = 'k8s/overlays/production';
const COMPONENT = 'k8s/components/monitoring';
const SCALERS = ['k8s/components/hpa', 'k8s/components/keda'];
const SERVICES = ['api', 'transactional-notifier', 'campaign-batcher'];

const documentsIn = (folder: string): Yaml[] =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .flatMap((name) => readYaml(readFileSync(path.join(ROOT, folder, name), 'utf8')));
const kustomizationOf = (folder: string): Yaml | undefined =>
  readYaml(readFileSync(path.join(ROOT, folder, 'kustomization.yaml'), 'utf8'))[0];
const base = documentsIn('k8s/base');
const production = documentsIn(OVERLAY);
const ofKind = (kind: string, from: readonly Yaml[]): Yaml[] => from.filter((one) => textAt(one, 'kind') === kind);
const nameOf = (one: Yaml): string => textAt(one, 'metadata.name');
const scalersWith = (component: string): Yaml[] => {
  const documents = [...production, ...documentsIn(component)];
  return [...ofKind('HorizontalPodAutoscaler', documents), ...ofKind('ScaledObject', documents)];
};

describe('the overlay for production', () => {
  test.each([OVERLAY, COMPONENT, ...SCALERS, 'k8s/components/backup'])(
    '%s lists exactly the files of its folder',
    (folder) => {
      const kustomization = kustomizationOf(folder);
      const files = itemsAt(kustomization, 'configMapGenerator').flatMap((one) => itemsAt(one, 'files'));
      const named = [
        ...['resources', 'components', 'configurations'].flatMap((list) => itemsAt(kustomization, list)),
        ...files,
      ].map(String);
      const own = named.filter((name) => !name.startsWith('..'));
      expect(own.sort()).toEqual(
        readdirSync(path.join(ROOT, folder))
          .filter((name) => name !== 'kustomization.yaml')
          .sort(),
      );
      expect(named.filter((name) => !existsSync(path.join(ROOT, folder, name)))).toEqual([]);
    },
  );

  test.each(SCALERS)('with %s scales every service, and no deployment sets its number of replicas', (scaler) => {
    const targets = scalersWith(scaler).map((one) => textAt(one, 'spec.scaleTargetRef.name'));
    expect(targets.sort()).toEqual([...SERVICES].sort());
    for (const deployment of ofKind('Deployment', base)) expect(at(deployment, 'spec.replicas')).toBeUndefined();
  });

  test.each(SCALERS)('with %s keeps at least two replicas of each service, so that one may stop', (scaler) => {
    const least = scalersWith(scaler).map(
      (one) => textAt(one, 'spec.minReplicas') + textAt(one, 'spec.minReplicaCount'),
    );
    expect(least).toEqual(['2', '2', '2']);
  });

  test('uses one of the two', () => {
    const components = itemsAt(kustomizationOf(OVERLAY), 'components').map(String);
    expect(components.filter((one) => /\/(hpa|keda)$/.test(one))).toHaveLength(1);
  });

  test('with KEDA scales each worker by the age of its events, slowly down, and safely without metrics', () => {
    for (const scaled of ofKind('ScaledObject', documentsIn('k8s/components/keda'))) {
      expect(at(scaled, 'spec.cooldownPeriod')).toBeUndefined();
      expect(textAt(scaled, 'spec.fallback.replicas')).toBe('4');
      const behavior = at(scaled, 'spec.advanced.horizontalPodAutoscalerConfig.behavior');
      expect(textAt(behavior, 'scaleDown.stabilizationWindowSeconds')).toBe('300');
      const [trigger] = itemsAt(scaled, 'spec.triggers');
      expect(textAt(trigger, 'metricType')).toBe('Value');
      const kind = nameOf(scaled) === 'campaign-batcher' ? 'campaign' : 'transactional';
      expect(textAt(trigger, 'metadata.query')).toContain(`mailhook_oldest_ready_seconds{kind="${kind}"}`);
    }
  });

  test('allows the connections to Redis and MongoDB that the base does not allow', () => {
    const ways = ofKind('NetworkPolicy', production).map((one) => [
      nameOf(one),
      itemsAt(one, 'spec.egress').flatMap((rule) => itemsAt(rule, 'ports').map((port) => textAt(port, 'port'))),
    ]);
    expect(Object.fromEntries(ways)).toEqual({ 'mailhook-to-redis': ['6379'], 'mailhook-to-mongo': ['27017'] });
  });

  test('sets the URL of the runbook in all alerts', () => {
    const kustomization = kustomizationOf(OVERLAY);
    const [settings] = itemsAt(kustomization, 'configMapGenerator');
    const [replacement] = itemsAt(kustomization, 'replacements');
    const [target] = itemsAt(replacement, 'targets');
    expect(textAt(replacement, 'source.name')).toBe(textAt(settings, 'name'));
    expect(textAt(target, 'select.kind')).toBe('PrometheusRule');
    expect(itemsAt(target, 'fieldPaths')).toEqual(['spec.groups.*.rules.*.annotations.runbook_url']);
  });

  test('scrapes the operations port of every service, under the service\u2019s name', () => {
    const [monitor] = ofKind('ServiceMonitor', documentsIn(COMPONENT));
    const [endpoint] = itemsAt(monitor, 'spec.endpoints');
    const label = textAt(monitor, 'spec.jobLabel');
    const scraped = ofKind('Service', base).filter((one) =>
      itemsAt(one, 'spec.ports').some((port) => textAt(port, 'name') === textAt(endpoint, 'port')),
    );
    expect(scraped.map((one) => mapAt(one, 'metadata.labels')[label]).sort()).toEqual([...SERVICES].sort());
  });
});

describe.each(SERVICES)('the pods of %s', (service) => {
  const pod = at(
    ofKind('Deployment', base).find((one) => nameOf(one) === service),
    'spec.template.spec',
  );

  test('are spread over zones and nodes, and still start if there is only one', () => {
    const spread = itemsAt(pod, 'topologySpreadConstraints');
    expect(spread.map((one) => textAt(one, 'topologyKey'))).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
    for (const one of spread) {
      expect(textAt(one, 'whenUnsatisfiable')).toBe('ScheduleAnyway');
      expect(mapAt(one, 'labelSelector.matchLabels')).toEqual({ 'app.kubernetes.io/name': service });
      expect(itemsAt(one, 'matchLabelKeys')).toEqual(['pod-template-hash']);
    }
  });

  test('get no variables of the cluster\u2019s services', () => {
    expect(textAt(pod, 'enableServiceLinks')).toBe('false');
  });
});

test('the config map holds the defaults, so that applying it changes nothing', () => {
  const rows = [api, transactionalNotifier, campaignBatcher].flatMap((shape) => describeEnvironment(shape));
  const { PUBLIC_URL: publicUrl, ...variables } = readEnv('k8s/base/mailhook.env');
  const [rule] = ofKind('Ingress', base).flatMap((ingress) => itemsAt(ingress, 'spec.rules'));
  expect(publicUrl).toBe(`https://${textAt(rule, 'host')}`);
  // All but the addresses, which must suit clusters with IPv6 and probes too.
  for (const [name, value] of Object.entries(variables)) {
    const expected = ['HOST', 'OPS_HOST'].includes(name) ? '::' : rows.find((row) => row.name === name)?.default;
    expect([name, value]).toEqual([name, expected]);
  }
});
