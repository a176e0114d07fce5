import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';
import type { TestRedis } from './redis.ts';
import { startRedis } from './redis.ts';
import { freePort } from './supervised-child.ts';

/** A private Redis Cluster for tests, on 127.0.0.1, with three masters. Each serves a third of the slots. */
export interface TestRedisCluster {
  /** `redis-cluster://` with all masters. */
  readonly url: string;
  /** The masters first, then their replicas in the same order. */
  readonly nodes: readonly TestRedis[];
  /** The node that was the key's master when the cluster started. */
  masterOf(key: string): Promise<TestRedis>;
  /** Whether its replica has replaced this master. */
  isReplaced(master: TestRedis): Promise<boolean>;
  /** Whether every node reports that all slots are served. */
  isWhole(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface RedisClusterOptions {
  /** Whether each master has a replica, which replaces a dead master. */
  readonly hasReplicas?: boolean;
  /** A node that is silent for this time counts as dead. */
  readonly nodeTimeoutMs?: number;
}

const MASTERS = 3;
const SLOTS = 16_384;
const SHARE = Math.ceil(SLOTS / MASTERS);
const run = promisify(execFile);

export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<TestRedisCluster> {
  const nodes: Node[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    const count = options.hasReplicas === true ? 2 * MASTERS : MASTERS;
    for (let i = 0; i < count; i += 1) nodes.push(await startNode(options.nodeTimeoutMs ?? 5000));
    await join(nodes);
    for (const [i, replica] of nodes.slice(MASTERS).entries()) await follow(replica, nodes[i] ?? replica);
  } catch (error) {
    await stop();
    throw error;
  }
  const masters = nodes.slice(0, MASTERS);
  return {
    url: `redis-cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    async masterOf(key) {
      const [first] = masters;
      if (first === undefined) throw new Error('a cluster has masters');
      return masters[Math.floor(Number(await command(first, 'CLUSTER', 'KEYSLOT', key)) / SHARE)] ?? first;
    },
    async isWhole() {
      const all = await Promise.all(nodes.map((node) => command(node, 'CLUSTER', 'INFO')));
      return all.every((info) => info.includes('cluster_state:ok'));
    },
    async isReplaced(master) {
      const replica = nodes[MASTERS + masters.findIndex(({ port }) => port === master.port)];
      return replica !== undefined && (await command(replica, 'ROLE')).startsWith('master');
    },
    stop,
  };
}

interface Node extends TestRedis {
  /** Port of the cluster bus, on which the nodes talk to each other. */
  readonly busPort: number;
}

async function startNode(nodeTimeoutMs: number): Promise<Node> {
  const busPort = await freePort();
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
  const args = [...cluster, '--cluster-node-timeout', String(nodeTimeoutMs), '--repl-diskless-sync-delay', '0'];
  return Object.assign(await startRedis({ appendonly: true, args }), { busPort });
}

async function join(nodes: readonly Node[]): Promise<void> {
  const [first, ...others] = nodes;
  for (const [i, node] of nodes.slice(0, MASTERS).entries()) {
    await command(node, 'CLUSTER', 'ADDSLOTSRANGE', String(i * SHARE), String(Math.min(SLOTS, (i + 1) * SHARE) - 1));
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

/** Makes the node a replica of the master, and resolves when their replication link is up. */
async function follow(replica: Node, master: Node): Promise<void> {
  const id = (await command(master, 'CLUSTER', 'MYID')).trim();
  await command(replica, 'CLUSTER', 'REPLICATE', id);
  await eventually(async () => (await command(replica, 'INFO', 'replication')).includes('master_link_status:up'), {
    withinMs: 60_000,
    what: 'a replica of each master',
  });
}

const command = async ({ port }: TestRedis, ...args: string[]): Promise<string> =>
  (await run('redis-cli', ['-p', String(port), ...args])).stdout;
