import { createInterface } from 'node:readline';
import type { Mechanism, ProducerEvent } from '@mailhook/core';
import { campaignDestinationId } from '@mailhook/core';
import * as delivery from '@mailhook/delivery';
import type { Rig } from '../rig.ts';
import { startRig } from '../rig.ts';

/**
 * Runs inside the checkout of an earlier version, with that version's code (see `make-snapshot.ts`). Reads commands as lines of JSON and answers each
 * with a line. May use only what every version has.
 */
export type Command =
  | {
      readonly do: 'save';
      readonly kind: Mechanism;
      readonly account: string;
      readonly address: string;
      readonly version: number;
      readonly active: boolean;
    }
  | {
      readonly do: 'publish';
      readonly kind: Mechanism;
      readonly account: string;
      readonly events: readonly ProducerEvent[];
    }
  | { readonly do: 'pause'; readonly kind: Mechanism; readonly account: string; readonly untilMs: number }
  | { readonly do: 'work' };

export interface OlderEngineOptions {
  readonly redisUrl: string;
  readonly queuePrefix: string;
  readonly scheduleMs: readonly number[];
  readonly breakerFailures: number;
}

const KINDS = ['transactional', 'campaign'] as const;

async function main(): Promise<void> {
  const options = JSON.parse(process.argv[2] ?? '{}') as OlderEngineOptions;
  const rigs = new Map<Mechanism, Rig>();
  for (const kind of KINDS) rigs.set(kind, await startRig({ ...options, kind, timeoutMs: 60_000, parkMaxMs: 600_000 }));
  for await (const line of createInterface({ input: process.stdin })) {
    const reply = await run(rigs, options, JSON.parse(line) as Command);
    process.stdout.write(`reply ${JSON.stringify(reply)}\n`);
  }
  process.exit(0);
}

async function run(rigs: ReadonlyMap<Mechanism, Rig>, options: OlderEngineOptions, command: Command): Promise<unknown> {
  if (command.do === 'work') {
    for (const rig of rigs.values()) await rig.startWorker();
    return 'works';
  }
  const { kind, account } = command;
  const rig = rigs.get(kind) as Rig;
  const id = kind === 'campaign' ? campaignDestinationId(account) : account;
  switch (command.do) {
    case 'save':
      await rig.destination(account, command.address, {
        version: command.version,
        active: command.active,
        inactiveReason: command.active ? null : 'switched off',
      });
      return id;
    case 'publish':
      await rig.publish(command.events, { id, account } as Parameters<Rig['publish']>[1]);
      return id;
    case 'pause': {
      const create = (delivery as { createDestinationControl?: typeof delivery.createDestinationControl })
        .createDestinationControl;
      if (create === undefined) return 'cannot pause';
      return create({ redis: rig.redis, queuePrefix: options.queuePrefix, shards: 1 }).pause(id, command.untilMs);
    }
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
