import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { startReceiver, startRedis } from '@mailhook/testing';
import { readFlags } from '../../../scripts/command-line.ts';
import { runCommand, UserError } from '../../../scripts/user-error.ts';
import { expectations } from './expectations.ts';
import type { OlderEngine } from './older-process.ts';
import { startOlderEngine } from './older-process.ts';
import { replyTo, Scene } from './scene.ts';
import type { Snapshot, State } from './snapshot.ts';
import { SNAPSHOTS } from './snapshot.ts';

const HELP = `node --conditions=@mailhook/source --import tsx test/engine/older-versions/make-snapshot.ts --checkout DIR --name NAME --port PORT

Keeps a snapshot of Redis as the version in DIR leaves it, with waiting, frozen, failed, parked, paused and dead events.
Writes NAME.rdb and NAME.json to test/engine/older-versions/snapshots. Needs redis-server.

  --checkout DIR   a checkout of the version, with its packages installed (git worktree add DIR COMMIT, then npm ci in DIR)
  --name NAME      the version's name, such as 1.2.0
  --port 28601     the port of the receivers, below 32768, that no other snapshot has
  --help           this text
`;

const FLAGS = {
  checkout: { type: 'string' },
  name: { type: 'string' },
  port: { type: 'string', default: '28601' },
  help: { type: 'boolean', default: false },
} as const;

const HOST = '127.77.0.1';
const PREFIX = 'older';
const STATES: readonly State[] = [
  ...(['waiting', 'frozen', 'due', 'later', 'parked', 'paused', 'dead-batch', 'dead-waiting', 'chunk'] as const),
];

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), FLAGS, 'make-snapshot.ts');
  if (flags.help) return void process.stdout.write(HELP);
  const { checkout, name } = flags;
  if (checkout === undefined || name === undefined) throw new UserError('--checkout and --name are needed.');
  addProgram(checkout);
  const server = await startRedis();
  const redis = connectRedis({ url: server.url, role: 'worker', name: 'snapshot', onError: () => undefined });
  await whenReady(redis, 5000);
  const port = Number(flags.port);
  const receiver = await startReceiver({ host: HOST, port, reply: (request) => replyTo(request.path) });
  const started: OlderEngine[] = [];
  const start = (options: { readonly scheduleMs: readonly number[]; readonly breakerFailures: number }) => {
    const engine = startOlderEngine(checkout, { redisUrl: server.url, queuePrefix: PREFIX, ...options });
    started.push(engine);
    return engine;
  };
  try {
    const canPause = await new Scene({ redis, queuePrefix: PREFIX, receiver, start }).play();
    const madeAtMs = await save(redis, name);
    const states = STATES.filter((state) => state !== 'paused' || canPause);
    const mailboxes = await expectations({ redis, queuePrefix: PREFIX, requests: receiver.requests, states });
    const { version } = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8')) as { version: string };
    const address = { queuePrefix: PREFIX, host: HOST, port };
    const snapshot: Snapshot = { version, commit: commitOf(checkout), madeAtMs, ...address, mailboxes };
    writeFileSync(path.join(SNAPSHOTS, `${name}.json`), `${JSON.stringify(snapshot, null, 1)}\n`);
    report(name, snapshot);
  } finally {
    await Promise.all(started.map((engine) => engine.kill()));
    await receiver.close();
    await closeRedis(redis);
    await server.stop();
  }
}

/** Copies the program that runs in the checkout, with that version's code. */
function addProgram(checkout: string): void {
  const program = 'test/engine/older-versions/older-engine.ts';
  mkdirSync(path.join(checkout, path.dirname(program)), { recursive: true });
  copyFileSync(path.resolve(program), path.join(checkout, program));
}

const commitOf = (checkout: string): string =>
  execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim();

/** Saves a snapshot of Redis. Resolves with the time of Redis in milliseconds. */
async function save(redis: Redis, name: string): Promise<number> {
  const [seconds, micros] = (await redis.time()).map(Number) as [number, number];
  await redis.call('SAVE');
  const [, directory = ''] = (await redis.call('CONFIG', 'GET', 'dir')) as string[];
  mkdirSync(SNAPSHOTS, { recursive: true });
  copyFileSync(path.join(directory, 'dump.rdb'), path.join(SNAPSHOTS, `${name}.rdb`));
  return seconds * 1000 + Math.floor(micros / 1000);
}

function report(name: string, { mailboxes }: Snapshot): void {
  const bytes = statSync(path.join(SNAPSHOTS, `${name}.rdb`)).size;
  process.stdout.write(`${name}: ${bytes} bytes\n`);
  for (const { kind, state, repeated, notifications, fragments, deadLetters } of mailboxes) {
    const fresh = notifications.length + fragments.fresh.length + fragments.unsubscribes.length;
    process.stdout.write(
      `${kind} ${state}: ${repeated.length} requests to repeat, ${fresh} events never sent, ${deadLetters.length} dead letters\n`,
    );
  }
}

await runCommand(main);
