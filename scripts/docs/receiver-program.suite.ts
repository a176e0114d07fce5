import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  arrayBody,
  batchBody,
  batchOutcome,
  exampleEvent,
  fragmentHashes,
  notificationOutcome,
  objectOf,
  typesOf,
  version2Fragment,
} from '@mailhook/core';
import { createReceiverClient } from '@mailhook/delivery';
import type { ReceiverClient } from '@mailhook/delivery';
import { createDoctor } from '@mailhook/doctor';
import type { Doctor } from '@mailhook/doctor';
import { eventually, freePort } from '@mailhook/testing';

const TIMEOUT_MS = 5000;
/** A receiver passes at least this number of checks per mechanism. */
const PASSED_MIN = 7;

export interface ReceiverProgram {
  readonly name: string;
  readonly command: string;
  /** The program listens on this port of 127.0.0.1. It finds the port in the variable `PORT` too. */
  readonly args: (port: number) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The path of its address. Default: `/`. */
  readonly path?: string;
  /** Requests are signed with these secrets, and a request with another signature is sent too. */
  readonly secrets?: readonly string[];
  /** Ids of checks that may end in a warning. */
  readonly warnings: readonly string[];
}

/** A receiver that runs, and what tests send to it. */
export interface RunningReceiver {
  readonly address: string;
  readonly client: ReceiverClient;
  /** What the program has printed so far. */
  printed(): string;
}

/** Starts the program, waits until it listens, and ends it after `use`. */
export async function withReceiver(
  { name, command, args, env, path = '/' }: Omit<ReceiverProgram, 'secrets' | 'warnings'>,
  use: (receiver: RunningReceiver) => Promise<void>,
) {
  const port = await freePort();
  const child = spawn(command, args(port), { env: { ...process.env, ...env, PORT: String(port) } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  const client = createReceiverClient({
    timeoutMs: TIMEOUT_MS,
    replyCapBytes: 1_048_576,
    egress: { allowPrivate: true, allowCidrs: [], deniedPorts: [] },
  });
  const address = `http://127.0.0.1:${port}${path}`;
  const isListening = async () =>
    (
      await client.post({
        account: 'a',
        address,
        body: '{}',
        webhookId: 'w1',
        attempt: 1,
        secrets: [],
        needsBody: false,
      })
    ).type === 'reply';
  try {
    await eventually(isListening, { what: `the receiver in ${name}`, withinMs: 10_000 });
    await use({ address, client, printed: () => printed });
  } finally {
    await client.close();
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
/** An event of each type in version 2, as it waits in Redis. */
export const EVENTS_OF_VERSION_2 = typesOf('transactional_email').map((name, number) =>
  version2Fragment({ ...exampleEvent(name), id: `event-number-${number}` }, sha256),
);

/** Sends version 2 in every shape: some events alone and in an array, and all of them in a batch. */
export async function expectToTakeVersion2({ address, client }: RunningReceiver, secrets: readonly string[]) {
  const post = async (body: string) => {
    const exchange = await client.post({
      account: 'a',
      address,
      body,
      webhookId: 'w1',
      attempt: 1,
      secrets,
      needsBody: true,
    });
    if (exchange.type === 'local-fault') throw new Error(exchange.detail);
    return exchange;
  };
  const [first = '', second = ''] = EVENTS_OF_VERSION_2;
  for (const body of [objectOf(first), objectOf(first), arrayBody([first, second].join('\n'))])
    expect(notificationOutcome(await post(body))).toMatchObject({ name: 'delivered' });
  const batch = EVENTS_OF_VERSION_2.join('\n');
  const outcome = batchOutcome(await post(batchBody(batch, 2)), fragmentHashes(batch));
  expect(outcome).toMatchObject({ name: 'delivered', unconfirmed: [] });
}

/** Starts the program and expects it to pass every check of the doctor, for both mechanisms, and to take version 2. */
export const expectToPassDoctor = ({ secrets = [], warnings, ...program }: ReceiverProgram) =>
  withReceiver(program, async (receiver) => {
    await expectToTakeVersion2(receiver, secrets);
    await expectGoodReports(receiver, [{ kind: 'campaign' }, { kind: 'transactional' }], secrets, warnings);
  });

/** What the doctor sends: one of the mechanisms, or version 2 in a shape. */
type Examination = Pick<Parameters<Doctor>[0], 'kind' | 'shape' | 'version'>;

/** Expects the doctor's reports of these examinations to have no failure. */
export async function expectGoodReports(
  { address, client }: RunningReceiver,
  examinations: readonly Examination[],
  secrets: readonly string[],
  warnings: readonly string[],
) {
  const doctor = createDoctor({ client, timeoutMs: TIMEOUT_MS });
  for (const examination of examinations) {
    const { checks } = await doctor({ address, ...examination, secrets });
    expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(checks.filter(({ id, outcome }) => outcome === 'warning' && !warnings.includes(id))).toEqual([]);
    expect(checks.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThanOrEqual(PASSED_MIN);
    if (secrets.length > 0)
      expect(checks.find(({ id }) => id === 'wrong-signature')).toMatchObject({ outcome: 'passed' });
  }
}
