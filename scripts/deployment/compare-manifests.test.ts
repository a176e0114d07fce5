import { differences } from './compare-manifests.ts';

const deployment = (more: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'api', labels: { 'app.kubernetes.io/name': 'api' } },
  spec: { config: 'mailhook', ...more },
});

test('ignores what a tool adds, and objects that only one list has', () => {
  const own = deployment({ config: 'mailhook-7c7kd22c9g', annotations: { 'checksum/config': 'x' } });
  const other = { ...deployment({}), metadata: { name: 'other' } };
  expect(differences([deployment({})], [own, other])).toEqual([]);
});

test('names the first difference', () => {
  expect(differences([deployment({ a: { b: [1, 2] } })], [deployment({ a: { b: [1, 3] } })])).toEqual([
    'Deployment api differs at .spec.a.b.1: 2 and 3',
  ]);
});
