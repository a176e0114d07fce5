import type { ServiceName, ServiceProcess } from '@mailhook/testing';
import { eventually, freePort, startServiceProcess } from '@mailhook/testing';
import { readFlags, wholeNumber } from '../../../scripts/command-line.ts';
import { runCommand, UserError } from '../../../scripts/user-error.ts';
import type { CountingReceiver } from '../../faults/rig/counting-receiver.ts';
import { startCountingReceiver } from '../../faults/rig/counting-receiver.ts';
import { isOver } from '../../faults/rig/engine-state.ts';
import type { Ledger } from '../../faults/rig/ledger.ts';
import { createLedger } from '../../faults/rig/ledger.ts';
import { createCustomers, startLoad } from '../../faults/rig/load.ts';
import type { Customer } from '../../faults/rig/load.ts';
import type { Random } from '../../faults/rig/random.ts';
import { createRandom } from '../../faults/rig/random.ts';
import type { RunningWorker, Stack, WorkerName } from '../../faults/rig/stack.ts';
import { startStack } from '../../faults/rig/stack.ts';
import { checkOut, compile, removeCheckout } from './older-checkout.ts';

const HELP = `node --conditions=@mailhook/source --import tsx test/engine/older-versions/side-by-side.ts --commit COMMIT

Runs workers of an earlier version beside today's on one Redis, under load, and kills some of both. Receivers refuse a tenth of the requests.
All accepted events must arrive, each under one webhook-id, and nothing may be left. Needs redis-server, git and the package registry.

  --commit COMMIT   the earlier version
  --checkout DIR    instead: a checkout of it with its packages installed, which is kept
  --seconds 20      load through today's api, then as long through the earlier version's api
  --seed 1          repeats the choices of an earlier run
  --help            this text
`;

const FLAGS = {
  commit: { type: 'string' },
  checkout: { type: 'string' },
  seconds: { type: 'string' },
  seed: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const WORKERS: readonly WorkerName[] = ['transactional-notifier', 'campaign-batcher'];
/** So long that no event is given up. */
const ENV = { RETRY_SCHEDULE: Array.from({ length: 60 }, () => '300ms').join(','), BREAKER_FAILURES: '1000' };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), FLAGS, 'side-by-side.ts');
  if (flags.help) {
    say(HELP);
    return;
  }
  const seconds = wholeNumber('seconds', flags.seconds, { fallback: 20, min: 1, max: 3600 });
  const random = createRandom(wholeNumber('seed', flags.seed, { fallback: 1, min: 1, max: 4_000_000_000 }));
  if (flags.checkout === undefined && flags.commit === undefined) throw new UserError('--commit is needed.');
  const folder = flags.checkout ?? checkOut(flags.commit ?? '', say);
  try {
    say('compiling it');
    compile(folder);
    const isSound = await compare(folder, random, seconds * 1000);
    if (!isSound) process.exitCode = 1;
  } finally {
    if (flags.checkout === undefined) removeCheckout(folder);
  }
}

async function compare(folder: string, random: Random, loadMs: number): Promise<boolean> {
  const ledger = createLedger();
  const receiver = await startCountingReceiver(ledger, () => ({
    delayMs: random.between(5, 60),
    ...(random.next() < 0.1 ? { status: 503 } : {}),
  }));
  say("starting Redis and today's services");
  const stack = await startStack({ workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 }, env: ENV });
  const older = new OlderVersion(folder, stack);
  try {
    for (const name of WORKERS) await older.startWorker(name);
    const customers = await createCustomers(stack, receiver.url, 10);
    const run = { stack, older, ledger, random, customers, loadMs };
    say("load through today's api");
    await loadAndKill({ ...run, series: 'new', baseUrl: stack.baseUrl });
    say("load through the earlier version's api");
    await loadAndKill({ ...run, series: 'old', baseUrl: await older.startApi() });
    const isSound = await settle(stack, ledger);
    report(ledger, receiver, older);
    return isSound && ledger.renamed.length === 0 && stack.endedThemselves.length === 0;
  } finally {
    await older.close();
    await stack.close();
    await receiver.close();
  }
}

interface LoadRun {
  readonly stack: Stack;
  readonly older: OlderVersion;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly customers: readonly Customer[];
  readonly loadMs: number;
  readonly series: string;
  readonly baseUrl: string;
}

/** Makes load. Every two seconds kills a worker, of each version in turn, and starts it again at once. */
async function loadAndKill(run: LoadRun): Promise<void> {
  const { stack, older, ledger, random, customers, loadMs, series, baseUrl } = run;
  const rates = { everyMs: 100, notifications: 10, campaignEvents: 20 };
  const { client, queuePrefix, producerToken } = stack;
  const way = { client, queuePrefix, producerToken, baseUrl } as Stack;
  const load = startLoad({ stack: way, ledger, random, customers, series, ...rates });
  const endsAtMs = performance.now() + loadMs;
  for (let i = 0; performance.now() < endsAtMs; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const name = WORKERS[Math.floor(i / 2) % WORKERS.length] as WorkerName;
    if (i % 2 === 0) await older.replaceWorker(name);
    else await replaceToday(stack, name);
    say(`  ${ledger.accepted} events accepted, ${ledger.delivered} delivered`);
  }
  await load.stop();
  if (load.refused > 0) say(`  ${load.refused} requests refused`);
}

async function replaceToday(stack: Stack, name: WorkerName): Promise<void> {
  await stack.killWorker(stack.workers.find((worker) => worker.name === name) as RunningWorker);
  await stack.startWorker(name);
}

/** Whether all events arrive and nothing is left. */
async function settle(stack: Stack, ledger: Ledger): Promise<boolean> {
  const ends = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<boolean> => {
    const error = await eventually(isSo, { what, withinMs: 90_000 }).then(
      () => undefined,
      (failure: unknown) => failure as Error,
    );
    if (error !== undefined) say(`NOT SOUND: ${error.message}`);
    return error === undefined;
  };
  const arrived = await ends('all accepted events', () => ledger.outstanding === 0);
  if (!arrived) say(`missing: ${ledger.missing().join(', ')}`);
  const states = Object.values(stack.state);
  const isEmpty = await ends('the end of all work', async () =>
    (await Promise.all(states.map((state) => state.remains()))).every(isOver),
  );
  return arrived && isEmpty;
}

function report(ledger: Ledger, receiver: CountingReceiver, older: OlderVersion): void {
  say(
    `${ledger.accepted} events accepted, ${ledger.outstanding} missing, ${ledger.renamed.length} under a second webhook-id`,
  );
  say(
    `${ledger.duplicates} events came twice, ${older.kills} workers of the earlier version were killed and as many of today's`,
  );
  say(`${receiver.requests} requests, ${receiver.refusals} refused, ${receiver.resends} resends`);
  for (const renamed of ledger.renamed.slice(0, 5)) say(`renamed: ${renamed}`);
}

/** The services of the earlier version. */
class OlderVersion {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #services = new Map<string, ServiceProcess>();
  kills = 0;

  constructor(folder: string, stack: Stack) {
    this.#folder = folder;
    this.#env = {
      HOST: '127.0.0.1',
      QUEUE_PREFIX: stack.queuePrefix,
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      LOG_LEVEL: 'info',
      ADMIN_TOKEN: stack.adminToken,
      PRODUCER_TOKEN: stack.producerToken,
      REDIS_URL: `redis://127.0.0.1:${stack.proxy.port}`,
      ...ENV,
    };
  }

  async startWorker(name: WorkerName): Promise<void> {
    const env = { ...this.#env, OPS_PORT: String(await freePort()) };
    await this.#start(name, env);
  }

  async replaceWorker(name: WorkerName): Promise<void> {
    await this.#services.get(name)?.kill();
    this.kills += 1;
    await this.startWorker(name);
  }

  /** Resolves with the api's address. */
  async startApi(): Promise<string> {
    const port = await freePort();
    const env = { ...this.#env, PORT: String(port), OPS_PORT: String(await freePort()) };
    await this.#start('api', env);
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#services.values()].map((service) => service.kill()));
  }

  async #start(name: ServiceName, env: NodeJS.ProcessEnv): Promise<void> {
    const program = `services/${name}/dist/main.js`;
    this.#services.set(name, await startServiceProcess({ name, program, env, cwd: this.#folder }));
  }
}

await runCommand(main);
