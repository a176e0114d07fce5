import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { createReceiverClient } from '@mailhook/delivery';
import { createNames } from '../../../packages/platform/src/egress/resolve.ts';

interface Options {
  readonly port: number;
  readonly nameServer: string;
  readonly hostsFile: string;
  readonly names: readonly string[];
}

/**
 * Sends requests and looks up names, first with all file descriptors of the process in use, and again after closing the
 * files.
 */
async function main(): Promise<void> {
  const { port, nameServer, hostsFile, names } = JSON.parse(process.argv[2] ?? '{}') as Options;
  const egress = { allowPrivate: true, allowCidrs: [], deniedPorts: [] };
  const common = { timeoutMs: 2000, nameServers: [nameServer] };
  const client = createReceiverClient({ ...common, replyCapBytes: 1000, egress });
  const { resolve } = createNames({ ...common, hostsFile });
  const resolveByServer = createNames({ ...common, hostsFile: '/nowhere' }).resolve;

  const post = async (host: string): Promise<string> => {
    const exchange = await client.post({
      account: 'a',
      address: `http://${host}:${port}/`,
      body: '',
      webhookId: 'w1',
      attempt: 1,
      secrets: [],
      needsBody: false,
    });
    return exchange.type === 'local-fault' ? exchange.cause : exchange.type;
  };
  const found = (addresses: Promise<readonly string[]>): Promise<string> =>
    addresses.then(
      (list) => list.join(' '),
      (error: unknown) => String(Reflect.get(Object(error), 'code')),
    );
  const look = async () => ({
    post: await post('127.0.0.1'),
    postByName: await post(names[0] ?? ''),
    lookups: await Promise.all([...names.map(resolve), ...names.map(resolveByServer)].map(found)),
  });

  const files: number[] = [];
  try {
    for (;;) files.push(openSync(devNull, 'r'));
  } catch {
    // The process has reached its limit.
  }
  const without = await look();
  for (const file of files) closeSync(file);
  // The resolver keeps failed lookups for a second.
  await wait(1100);
  process.send?.({ without, freed: await look() });
  process.disconnect();
  await client.close();
}

void main();
