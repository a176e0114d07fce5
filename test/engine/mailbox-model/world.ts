import type { Redis } from '@mailhook/platform/redis';
import { allCommands } from '../../../packages/delivery/src/mailbox/commands/all.suite.ts';
import { compareWithRedis } from './compare-with-redis.ts';
import { EraseSteps } from './erase-steps.ts';
import { FaultSteps } from './fault-steps.ts';
import { Keyspace } from './keyspace.ts';
import { HEARTBEAT_MS, LEASE_MS } from './limits.ts';
import { MailboxModel } from './model.ts';
import { OperatorSteps, recordOf } from './operator-steps.ts';
import { WorkerCalls } from './worker-calls.ts';
import type { Drain, Worker } from './workers.ts';
import type { WorldParts } from './world-parts.ts';

/** A Redis for the model, and the connection through which the world calls the commands. */
export interface Backend {
  readonly redis: Redis;
  readonly commands: Redis;
  readonly queuePrefix: string;
}

let worlds = 0;

/** The commands on a real Redis, the model, and workers that call the commands like the product's workers. */
export class World {
  readonly model = new MailboxModel();
  readonly workers: Worker[];
  /** The names of the steps so far. */
  readonly steps: string[] = [];
  readonly calls: WorkerCalls;
  readonly faults: FaultSteps;
  readonly operator: OperatorSteps;
  readonly erase: EraseSteps;
  readonly #parts: WorldParts;
  #ids = 0;

  constructor({ redis, commands: through, queuePrefix }: Backend) {
    worlds += 1;
    // Its place among the others in the hash of the mailboxes differs from world to world.
    const keyspace = new Keyspace(redis, queuePrefix, `d${worlds}`);
    this.workers = ['a', 'b', 'c'].map((name) => ({
      name: `w${worlds}${name}`,
      claims: 0,
      drains: new Map(),
      isAway: false,
    }));
    const commands = allCommands(through, keyspace.keys);
    const { model, workers } = this;
    this.#parts = { redis, keyspace, commands, model, workers, newId: () => this.newId() };
    this.calls = new WorkerCalls(this.#parts);
    this.faults = new FaultSteps(this.#parts, () => this.calls.forgetChunk());
    this.operator = new OperatorSteps(this.#parts);
    this.erase = new EraseSteps(this.#parts);
  }

  async start(): Promise<void> {
    const { commands, keyspace } = this.#parts;
    await keyspace.fill();
    await commands.saveDestination(keyspace.destination, recordOf(1, true));
    for (const { name } of this.workers) await commands.heartbeat(name, LEASE_MS, HEARTBEAT_MS);
  }

  async compare(): Promise<void> {
    compareWithRedis(this.model.s, await this.#parts.keyspace.read());
  }

  /** Deletes everything that this world wrote. */
  clear(): Promise<void> {
    return this.#parts.keyspace.clear();
  }

  newId(): string {
    return `${this.workers[0]?.name ?? ''}-${(this.#ids += 1)}`;
  }

  drains(): [Worker, Drain][] {
    return this.workers.flatMap((worker) =>
      [...worker.drains.values()].map((drain): [Worker, Drain] => [worker, drain]),
    );
  }

  /** A job wakes the destination, for a resend or ('') for itself. */
  async jobWakes(id: string): Promise<void> {
    const { commands, keyspace } = this.#parts;
    await commands.wake(keyspace.destination, id);
    this.model.wake(id);
  }
}
