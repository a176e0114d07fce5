import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readManifests, schemaFaults } from './schemas.ts';
import type { Manifest } from './schemas.ts';

const ROOT = path.join(__dirname, '../..');

const manifestsUnder = (folder: string): Manifest[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    // The chart's templates are no YAML, and its files are links to the others.
    .filter((name) => !name.startsWith('helm'))
    .filter(
      (name) => name.endsWith('.yaml') && !['kustomization.yaml', 'name-reference.yaml'].includes(path.basename(name)),
    )
    .flatMap((name) => readManifests(readFileSync(path.join(ROOT, folder, name), 'utf8')));

const all = manifestsUnder('k8s');

test('every manifest is valid for Kubernetes, KEDA or the Prometheus operator', () => {
  expect(all.length).toBeGreaterThan(30);
  expect(schemaFaults(all)).toEqual([]);
}, 60_000);

test('a missing field, a value of a wrong type, a misspelled field and an unknown kind are found', () => {
  const deployment = all.find(({ kind }) => kind === 'Deployment');
  const scaled = all.find(({ kind }) => kind === 'ScaledObject');
  const faults = schemaFaults([
    { ...deployment, spec: { replicas: 'two' } } as unknown as Manifest,
    {
      ...scaled,
      spec: { ...(scaled as unknown as { spec: object }).spec, minReplicasCount: 2 },
    } as unknown as Manifest,
    { apiVersion: 'v2', kind: 'Service', metadata: { name: 'new' } },
  ]);
  expect(faults).toEqual(
    expect.arrayContaining([
      expect.stringContaining('must have required property selector'),
      expect.stringContaining('replicas must be integer'),
      expect.stringMatching(/^ScaledObject .*minReplicasCount/),
      'Service new: there is no schema of v2 Service here',
    ]),
  );
}, 60_000);
