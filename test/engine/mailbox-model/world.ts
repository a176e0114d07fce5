import type { Redis } from '@mailhook/platform/redis';
import { createMailboxCommands } from '../../../packages/delivery/src/mailbox/commands.ts';
import { compareWithRedis } from './compare-with-redis.ts';
import { FaultSteps } from './fault-steps.ts';
import { Keyspace } from './keyspace.ts';
import { HEARTBEAT_MS, LEASE_MS } from './limits.ts';
import { MailboxModel } from './model.ts';
import { OperatorSteps, recordOf } from './operator-steps.ts';
import { WorkerCalls } from './worker-calls.ts';
import type { Drain, Worker } from './workers.ts';
import type { WorldParts } from './world-parts.ts';

/** The scripts on a real Redis, the model, and workers that call the scripts like the product's workers. */
export class World {
  readonly model = new MailboxModel();
  readonly workers: Worker[] = ['wa', 'wb', 'wc'].map((name) => ({ name, claims: 0, drains: new Map() }));
  /** The names of the steps so far. */
  readonly steps: string[] = [];
  readonly calls: WorkerCalls;
  readonly faults: FaultSteps;
  readonly operator: OperatorSteps;
  readonly #parts: WorldParts;
  #ids = 0;

  constructor(redis: Redis, scriptsOf: (redis: Redis) => Redis = (same) => same) {
    const keyspace = new Keyspace(redis);
    const commands = createMailboxCommands(scriptsOf(redis), keyspace.keys);
    const { model, workers } = this;
    this.#parts = { redis, keyspace, commands, model, workers, newId: () => this.newId() };
    this.calls = new WorkerCalls(this.#parts);
    this.faults = new FaultSteps(this.#parts, () => this.calls.forgetChunk());
    this.operator = new OperatorSteps(this.#parts);
  }

  async start(): Promise<void> {
    const { commands } = this.#parts;
    await commands.saveDestination('d', recordOf(1, true));
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
    await this.#parts.commands.wake('d', id);
    this.model.wake(id);
  }
}
