import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { readFlags } from '../command-line.ts';
import { readManifests, schemaFaults } from './schemas.ts';
import { findCommand } from '../stack/redis-server.ts';
import { runCommand, UserError } from '../user-error.ts';

const HELP = `npm run manifests [-- options]

Renders every overlay of k8s/ with kustomize, or kubectl, and checks the result against the schemas of Kubernetes, KEDA and the
Prometheus operator.

  --out FOLDER   also write what was rendered, one file an overlay
  --help         this text
`;

const OVERLAYS = 'k8s/overlays';
const run = promisify(execFile);

async function manifests(): Promise<void> {
  const flags = readFlags(
    process.argv.slice(2),
    { out: { type: 'string' }, help: { type: 'boolean', default: false } },
    'npm run manifests --',
  );
  if (flags.help) {
    console.log(HELP);
    return;
  }
  const faults: string[] = [];
  for (const overlay of readdirSync(OVERLAYS)) {
    const text = await render(path.join(OVERLAYS, overlay));
    const rendered = readManifests(text);
    console.log(`${overlay}: ${rendered.length} objects`);
    for (const { kind, metadata } of rendered) console.log(`  ${kind.padEnd(24)} ${metadata?.name ?? ''}`);
    faults.push(...schemaFaults(rendered).map((fault) => `${overlay}: ${fault}`));
    if (flags.out === undefined) continue;
    mkdirSync(flags.out, { recursive: true });
    writeFileSync(path.join(flags.out, `${overlay}.yaml`), text);
  }
  if (faults.length > 0) throw new UserError(faults.join('\n'));
  console.log('All of them are valid.');
}

async function render(folder: string): Promise<string> {
  const kustomize = findCommand('kustomize');
  const command = kustomize ?? findCommand('kubectl');
  if (command === undefined) throw new UserError('Put kustomize or kubectl on the PATH.');
  const verb = kustomize === undefined ? 'kustomize' : 'build';
  const { stdout } = await run(command, [verb, folder], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

void runCommand(manifests);
