import type { Redis } from '@mailhook/platform/redis';
import { commandOf } from '../../../packages/delivery/src/mailbox/functions.ts';
import type { Process, Scheduler } from './scheduler.ts';
import type { Reply, SimulatedRedis } from './simulated-redis.ts';

/** As in packages/platform/src/redis/connect.ts. */
const COMMAND_TIMEOUT_MS = 2000;

interface Call {
  readonly sentMs: number;
  readonly settle: (reply: Reply) => void;
  isExecuted: boolean;
  /** Redis never gets it. */
  isDropped: boolean;
  isSettled: boolean;
  /** Its reply comes no more. */
  isBroken: boolean;
}

export interface ConnectionDeps {
  readonly scheduler: Scheduler;
  readonly server: SimulatedRedis;
  readonly process: Process;
  /** Of its worker. */
  readonly name: string;
  /** A time that a command or a reply is on its way. */
  readonly delayMs: () => number;
  /** An error that Redis answers in place of running a call. */
  readonly refusal: (args: readonly unknown[]) => Error | undefined;
}

/**
 * A worker's connection to Redis. Commands run and replies arrive in their order, each after a delay. When it breaks,
 * every call in flight fails: some were executed, some never are, and some are executed later.
 */
export class SimulatedConnection {
  /** The client that the engine uses. */
  readonly redis: Redis;
  readonly #deps: ConnectionDeps;
  readonly #inFlight = new Set<Call>();
  #lastRunMs = 0;
  #lastReplyMs = 0;
  #brokenUntilMs = 0;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    const methods = new Map<string | symbol, unknown>([['pipeline', () => this.#pipeline()]]);
    this.redis = new Proxy({} as Redis, {
      get: (_target, name) => {
        let method = methods.get(name);
        if (method === undefined) {
          method = (...args: readonly unknown[]) => this.#call(String(name), args);
          methods.set(name, method);
        }
        return method;
      },
    });
  }

  /** Breaks the connection until a time. `mayRunLate`: what Redis has not read yet may still be in its buffer. */
  break(untilMs: number, mayRunLate: boolean): void {
    const { scheduler, process } = this.#deps;
    scheduler.log?.(`the connection of ${this.#deps.name} breaks until ${untilMs}`);
    this.#brokenUntilMs = Math.max(this.#brokenUntilMs, untilMs);
    for (const call of this.#inFlight) {
      if (!call.isExecuted) call.isDropped = !mayRunLate || scheduler.random.chance(0.5);
      call.isBroken = true;
      scheduler.at(scheduler.nowMs, process, 'io', () => call.settle(CLOSED));
    }
    this.#lastRunMs = 0;
    this.#lastReplyMs = 0;
  }

  /** When the last reply to what was sent so far comes. */
  get quietMs(): number {
    return Math.max(this.#lastRunMs, this.#lastReplyMs);
  }

  /** It works again. */
  reconnect(): void {
    this.#brokenUntilMs = 0;
  }

  #call(method: string, args: readonly unknown[]): Promise<unknown> {
    const { scheduler, process, server, delayMs, refusal } = this.#deps;
    return new Promise((resolve, reject) => {
      const call: Call = {
        sentMs: scheduler.nowMs,
        isExecuted: false,
        isDropped: false,
        isSettled: false,
        isBroken: false,
        settle: (reply) => {
          if (call.isSettled) return;
          call.isSettled = true;
          this.#inFlight.delete(call);
          const isLate = scheduler.nowMs - call.sentMs >= COMMAND_TIMEOUT_MS;
          const told = isLate ? TIMED_OUT : call.isBroken ? CLOSED : reply;
          if (isLate) scheduler.reached.add('a command times out');
          if ('error' in told) reject(told.error);
          else resolve(told.value);
        },
      };
      if (scheduler.nowMs < this.#brokenUntilMs) {
        scheduler.at(scheduler.nowMs + 1, process, 'io', () => call.settle(CLOSED));
        return;
      }
      this.#inFlight.add(call);
      const runAtMs = Math.max(this.#lastRunMs, scheduler.nowMs + delayMs());
      const replyAtMs = Math.max(this.#lastReplyMs, runAtMs + delayMs());
      this.#lastRunMs = runAtMs;
      this.#lastReplyMs = replyAtMs;
      let reply: Reply | undefined;
      scheduler.at(runAtMs, undefined, 'io', async () => {
        if (call.isDropped) return;
        call.isExecuted = true;
        if (call.isSettled) scheduler.reached.add('a command runs after its connection broke');
        const error = refusal(args);
        reply = error === undefined ? await server.run(method, args) : { error };
        scheduler.log?.(`${this.#deps.name} ${textOf(method, args)}: ${replyText(reply)}`);
      });
      const tellAtMs = Math.min(replyAtMs, call.sentMs + COMMAND_TIMEOUT_MS);
      scheduler.at(tellAtMs, process, 'io', () => call.settle(reply ?? TIMED_OUT));
    });
  }

  #pipeline(): unknown {
    const commands: [string, ...unknown[]][] = [];
    const pipeline: unknown = new Proxy(
      {},
      {
        get: (_target, name) =>
          name === 'exec'
            ? async () => {
                const replies = await Promise.all(commands.map(([method, ...args]) => this.#call(method, args)));
                return replies.map((reply) => [null, reply]);
              }
            : (...args: readonly unknown[]) => {
                commands.push([String(name), ...args]);
                return pipeline;
              },
      },
    );
    return pipeline;
  }
}

function textOf(method: string, args: readonly unknown[]): string {
  const nameAt = method === 'fcall' ? 0 : 1;
  const command = method === 'fcall' || method === 'callBuffer' ? commandOf(String(args[nameAt])) : undefined;
  return command === undefined ? `${method} ${args.join(' ')}` : `${command} ${args.slice(nameAt + 4).join(' ')}`;
}

const replyText = (reply: Reply): string =>
  'error' in reply
    ? reply.error.message
    : JSON.stringify(reply.value, (_, value: unknown) =>
        value instanceof Object && 'data' in value && Array.isArray(value.data)
          ? Buffer.from(value.data as number[]).toString('latin1')
          : value,
      );

const CLOSED: Reply = { error: new Error('Connection is closed.') };
const TIMED_OUT: Reply = { error: new Error('Command timed out') };
