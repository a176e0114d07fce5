import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Command } from '@commander-js/extra-typings';
import { differences } from './compare-manifests.ts';
import type { Manifest } from './schemas.ts';
import { readManifests, schemaFaults } from './schemas.ts';
import { findCommand } from '../stack/redis-server.ts';
import { UserError } from '../user-error.ts';

const OVERLAYS = 'k8s/overlays';
const CHART = 'k8s/helm';
const set = (...settings: readonly string[]): string[] => settings.flatMap((setting) => ['--set', setting]);
/** A helm that was not built by its makers believes in an old Kubernetes. */
const KUBE = ['--kube-version', '1.30.0'];
const TRIAL = set(
  'redis.enabled=true',
  'mongo.enabled=true',
  'defaults.replicas=null',
  'config.PUBLIC_URL=https://mailhook.example.com',
  `secrets.ADMIN_TOKEN=${'01234567'.repeat(8)}`,
  `secrets.PRODUCER_TOKEN=${'89abcdef'.repeat(8)}`,
);
const PRODUCTION = set(
  'secrets.existingSecret=mailhook-secrets',
  'autoscaling.kind=hpa',
  'monitoring.enabled=true',
  'ingress.enabled=true',
  'ingress.host=mailhook.example.com',
);
const EVERYTHING = set(
  'autoscaling.kind=keda',
  'monitoring.enabled=true',
  'backup.enabled=true',
  'serviceAccount.create=true',
  'serviceAccount.name=mailhook',
  'httpRoute.enabled=true',
  'httpRoute.parentRefs[0].name=gateway',
  'httpRoute.hostnames[0]=mailhook.example.com',
  'defaults.extraEnv[0].name=LOG_LEVEL',
  'defaults.extraEnv[0].value=debug',
  'defaults.nodeSelector.disk=ssd',
  'config.WAITING_MAX_AGE=1d',
);
/** Overlays, and the renderings of the chart that must not differ from them. */
const COMPARED = [
  ['single-node', 'helm, trial'],
  ['production', 'helm, production'],
] as const;
const run = promisify(execFile);

export const command = new Command()
  .description(
    `Renders every overlay of k8s/ with kustomize, or kubectl, and the chart k8s/helm with helm, and checks the result
against the schemas of Kubernetes, KEDA and the Prometheus operator. What the chart renders for production must be what
the overlay production has.`,
  )
  .option('--out <folder>', 'also write what was rendered, one file per overlay')
  .action(async ({ out }) => checkManifests(out));

async function checkManifests(out: string | undefined): Promise<void> {
  const faults: string[] = [];
  const rendered = new Map<string, Manifest[]>();
  const take = (name: string, text: string): void => {
    const objects = readManifests(text);
    rendered.set(name, objects);
    console.log(`${name}: ${objects.length} objects`);
    for (const { kind, metadata } of objects) console.log(`  ${kind.padEnd(24)} ${metadata?.name ?? ''}`);
    const checked = objects.filter(({ kind }) => kind !== 'HTTPRoute');
    faults.push(...schemaFaults(checked).map((fault) => `${name}: ${fault}`));
    if (out === undefined) return;
    mkdirSync(out, { recursive: true });
    writeFileSync(path.join(out, `${name}.yaml`), text);
  };
  for (const overlay of readdirSync(OVERLAYS)) take(overlay, await render(path.join(OVERLAYS, overlay)));
  await helm('lint', '--strict', CHART, ...TRIAL);
  take('helm, trial', await helm('template', 'mailhook', CHART, ...KUBE, ...TRIAL));
  take('helm, production', await helm('template', 'mailhook', CHART, ...KUBE, ...PRODUCTION));
  take('helm, everything', await helm('template', 'mailhook', CHART, ...KUBE, ...TRIAL, ...EVERYTHING));
  for (const [overlay, chart] of COMPARED) {
    const found = differences(rendered.get(overlay) ?? [], rendered.get(chart) ?? []);
    faults.push(...found.map((fault) => `${overlay} and ${chart}: ${fault}`));
  }
  if (faults.length > 0) throw new UserError(faults.join('\n'));
  console.log('All of them are valid.');
}

async function helm(...args: readonly string[]): Promise<string> {
  const command = findCommand('helm');
  if (command === undefined) throw new UserError('Put helm on the PATH.');
  const { stdout } = await run(command, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

async function render(folder: string): Promise<string> {
  const kustomize = findCommand('kustomize');
  const command = kustomize ?? findCommand('kubectl');
  if (command === undefined) throw new UserError('Put kustomize or kubectl on the PATH.');
  const verb = kustomize === undefined ? 'kustomize' : 'build';
  const { stdout } = await run(command, [verb, folder], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
