import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';
import type { TestRedis } from './redis.ts';
import { startRedis } from './redis.ts';
import { freePort } from './supervised-child.ts';

/** A Redis Cluster of a test's own on 127.0.0.1: three masters without replicas, each with a third of the slots. */
export interface TestRedisCluster {
  /** `redis-cluster://` with all three. */
  readonly url: string;
  readonly nodes: readonly TestRedis[];
  stop(): Promise<void>;
}

const NODES = 3;
const SLOTS = 16_384;
const run = promisify(execFile);

export async function startRedisCluster(): Promise<TestRedisCluster> {
  const nodes: Node[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (let i = 0; i < NODES; i += 1) nodes.push(await startNode());
    await join(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis-cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, nodes, stop };
}

interface Node extends TestRedis {
  /** Where the nodes talk to each other. */
  readonly busPort: number;
}

async function startNode(): Promise<Node> {
  const busPort = await freePort();
  const args = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--cluster-node-timeout', '5000'];
  return { ...(await startRedis({ appendonly: true, args })), busPort };
}

async function join(nodes: readonly Node[]): Promise<void> {
  const [first, ...others] = nodes;
  const share = Math.ceil(SLOTS / nodes.length);
  for (const [i, node] of nodes.entries()) {
    await command(node, 'CLUSTER', 'ADDSLOTSRANGE', String(i * share), String(Math.min(SLOTS, (i + 1) * share) - 1));
  }
  for (const node of others) {
    await command(node, 'CLUSTER', 'MEET', '127.0.0.1', String(first?.port), String(first?.busPort));
  }
  for (const node of nodes) {
    await eventually(
      async () => {
        const info = await command(node, 'CLUSTER', 'INFO');
        return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`);
      },
      { withinMs: 60_000, what: 'a whole cluster' },
    );
  }
}

const command = async ({ port }: TestRedis, ...args: string[]): Promise<string> =>
  (await run('redis-cli', ['-p', String(port), ...args])).stdout;
