import type { LogLine, ServiceName, ServiceProcess, TcpProxy, TestRedis } from '@mailhook/testing';
import { eventually, freePort } from '@mailhook/testing';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineState } from './engine-state.ts';
import { readEngineState } from './engine-state.ts';
import { startService } from './service.ts';
import { startSentinelRedis } from './sentinel-redis.ts';
import type { StackRedis, StackRedisOptions, SwitchOver } from './stack-redis.ts';
import { startStackRedis } from './stack-redis.ts';

export type WorkerName = Exclude<ServiceName, 'api'>;

/** A worker's process, and the id under which it owns destinations. */
export interface RunningWorker {
  readonly name: WorkerName;
  readonly process: ServiceProcess;
  readonly id: string;
}

/** The whole product in separate processes, with a separate Redis that by default syncs every write. */
export interface Stack {
  readonly queuePrefix: string;
  readonly baseUrl: string;
  readonly opsUrl: string;
  readonly producerToken: string;
  readonly adminToken: string;
  /** The current master. */
  readonly redis: TestRedis;
  /** Connects to the current master, past the proxies of the workers and the api. */
  readonly client: Redis;
  /** Between the workers and Redis. */
  readonly proxy: TcpProxy;
  /** Between the api and Redis. */
  readonly apiProxy: TcpProxy;
  readonly state: Readonly<Record<WorkerName, EngineState>>;
  readonly workers: readonly RunningWorker[];
  readonly api: ServiceProcess;
  /** How often the reconciler repaired something, by kind of repair. */
  readonly repairs: Map<string, number>;
  /** Processes that ended without a request from here, with their last log lines. */
  readonly endedThemselves: readonly string[];
  /** @param way the proxy between the worker and Redis; default: `proxy`. */
  startWorker(name: WorkerName, way?: TcpProxy): Promise<RunningWorker>;
  /** Sends SIGKILL to a worker and removes it from `workers`. */
  killWorker(worker: RunningWorker): Promise<void>;
  /** Sends SIGTERM to a worker and removes it from `workers`. Resolves with the exit code. */
  stopWorker(worker: RunningWorker): Promise<number | null>;
  restartApi(): Promise<void>;
  /**
   * Replaces the api as behind a load balancer. Starts another one, sends it all requests (`baseUrl`), and stops the
   * old one. Resolves with its exit code.
   */
  replaceApi(): Promise<number | null>;
  /** Needs `hasReplica`. Resolves when the replica has every write that the master has executed so far. */
  untilReplicated(): Promise<void>;
  /**
   * Needs `hasReplica`. Kills the master with SIGKILL. Its replica takes over behind the same addresses and gets a new
   * replica. Resolves with the milliseconds from the kill to the promotion.
   */
  failOver(): Promise<number>;
  /** Needs `hasSentinels`. The replica takes over while the master works. Resolves when the old master follows. */
  switchOver(): Promise<SwitchOver>;
  close(): Promise<void>;
}

export interface StackOptions extends Omit<StackRedisOptions, 'appendfsync'> {
  readonly workers: Readonly<Record<WorkerName, number>>;
  readonly env?: NodeJS.ProcessEnv;
  readonly appendfsync?: 'always' | 'everysec';
  /** Puts a master and its replica behind three sentinels. The services then connect without proxies. */
  readonly hasSentinels?: boolean;
  readonly onLine?: (name: ServiceName, line: LogLine) => void;
}

const TOKENS = { ADMIN_TOKEN: 'admin_of_the_tests'.padEnd(40, 'a'), PRODUCER_TOKEN: 'producer_'.padEnd(40, 'p') };
const PREFIX = 'mailhook';

export async function startStack(options: StackOptions): Promise<Stack> {
  const startServers = options.hasSentinels === true ? startSentinelRedis : startStackRedis;
  const redis = await startServers({ appendfsync: 'always', ...options });
  const stack = new RunningStack(options, redis, { port: await freePort(), opsPort: await freePort() });
  try {
    await stack.start();
  } catch (error) {
    await stack.close();
    throw error;
  }
  return stack;
}

class RunningStack implements Stack {
  readonly queuePrefix = PREFIX;
  readonly producerToken = TOKENS.PRODUCER_TOKEN;
  readonly adminToken = TOKENS.ADMIN_TOKEN;
  readonly repairs = new Map<string, number>();
  readonly endedThemselves: string[] = [];
  readonly workers: RunningWorker[] = [];
  readonly proxy: TcpProxy;
  readonly apiProxy: TcpProxy;
  readonly client: Redis;
  readonly state: Readonly<Record<WorkerName, EngineState>>;
  readonly #options: StackOptions;
  readonly #redis: StackRedis;
  #ports: { readonly port: number; readonly opsPort: number };
  /**
   * All worker ids so far. A lease that ended during a cut may come back, and must not be taken for the lease of a new
   * process.
   */
  readonly #workerIds = new Set<string>();
  #api: ServiceProcess | undefined;
  /** Workers start one after the other, so that the next new lease in Redis belongs to the next new process. */
  #starting: Promise<unknown> = Promise.resolve();

  constructor(options: StackOptions, redis: StackRedis, ports: { port: number; opsPort: number }) {
    this.#options = options;
    this.#redis = redis;
    this.proxy = redis.workersProxy;
    this.apiProxy = redis.apiProxy;
    this.client = redis.client;
    this.#ports = ports;
    this.state = {
      'transactional-notifier': readEngineState(redis.client, PREFIX, 'transactional'),
      'campaign-batcher': readEngineState(redis.client, PREFIX, 'campaign'),
    };
  }

  get redis(): TestRedis {
    return this.#redis.master;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#ports.port}`;
  }

  get opsUrl(): string {
    return `http://127.0.0.1:${this.#ports.opsPort}`;
  }

  get api(): ServiceProcess {
    if (this.#api === undefined) throw new Error('the api was not started');
    return this.#api;
  }

  async start(): Promise<void> {
    await this.restartApi();
    for (const name of ['transactional-notifier', 'campaign-batcher'] as const) {
      for (let i = 0; i < this.#options.workers[name]; i += 1) await this.startWorker(name);
    }
  }

  startWorker(name: WorkerName, way: TcpProxy = this.proxy): Promise<RunningWorker> {
    const next = this.#starting.then(() => this.#startWorker(name, way));
    this.#starting = next.catch(() => undefined);
    return next;
  }

  async killWorker(worker: RunningWorker): Promise<void> {
    this.#forget(worker);
    await worker.process.kill();
  }

  async stopWorker(worker: RunningWorker): Promise<number | null> {
    this.#forget(worker);
    return worker.process.stop();
  }

  async restartApi(): Promise<void> {
    await this.#api?.kill();
    this.#api = await this.#spawnApi(this.#ports);
  }

  async replaceApi(): Promise<number | null> {
    const old = this.api;
    const ports = { port: await freePort(), opsPort: await freePort() };
    this.#api = await this.#spawnApi(ports);
    this.#ports = ports;
    return old.stop();
  }

  untilReplicated(): Promise<void> {
    return this.#redis.untilReplicated();
  }

  failOver(): Promise<number> {
    return this.#redis.failOver();
  }

  switchOver(): Promise<SwitchOver> {
    const { sentinels } = this.#redis;
    if (sentinels === undefined) throw new Error('the stack has no sentinels: start it with hasSentinels');
    return sentinels.switchOver();
  }

  async close(): Promise<void> {
    await this.#starting;
    await Promise.all([this.#api?.kill(), ...this.workers.map(({ process: child }) => child.kill())]);
    await this.#redis.close();
  }

  #forget(worker: RunningWorker): void {
    const place = this.workers.indexOf(worker);
    if (place >= 0) this.workers.splice(place, 1);
  }

  async #startWorker(name: WorkerName, way: TcpProxy): Promise<RunningWorker> {
    const env = { OPS_PORT: String(await freePort()), REDIS_URL: this.#redis.url ?? `redis://127.0.0.1:${way.port}` };
    const child = await this.#spawn(name, env);
    const id = await eventually(
      async () => (await this.state[name].workers()).find((one) => !this.#workerIds.has(one)),
      { what: `the lease of a new ${name}` },
    );
    this.#workerIds.add(id);
    const worker = { name, process: child, id };
    this.workers.push(worker);
    return worker;
  }

  #spawnApi({ port, opsPort }: { port: number; opsPort: number }): Promise<ServiceProcess> {
    const env = { REDIS_URL: this.#redis.url ?? `redis://127.0.0.1:${this.apiProxy.port}` };
    return this.#spawn('api', { PORT: String(port), OPS_PORT: String(opsPort), ...env });
  }

  #spawn(name: ServiceName, own: NodeJS.ProcessEnv): Promise<ServiceProcess> {
    const env = {
      HOST: '127.0.0.1',
      QUEUE_PREFIX: PREFIX,
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      LOG_LEVEL: 'info',
      ...TOKENS,
      ...this.#options.env,
      ...own,
    };
    return startService(name, env, {
      onLine: (line) => this.#onLine(name, line),
      onEndedItself: (why) => this.endedThemselves.push(why),
    });
  }

  #onLine(name: ServiceName, line: LogLine): void {
    this.#options.onLine?.(name, line);
    if (line.message !== 'the reconciler or a heartbeat made a repair') return;
    const repair = String(line['repair']);
    this.repairs.set(repair, (this.repairs.get(repair) ?? 0) + Number(line['count']));
  }
}
