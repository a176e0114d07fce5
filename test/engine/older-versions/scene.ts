import type { Mechanism, ProducerEvent } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import type { Redis } from '@mailhook/platform/redis';
import type { FakeReceiver, ReplyAction } from '@mailhook/testing';
import { aCampaignEvent, anOpen, eventually } from '@mailhook/testing';
import type { OlderEngine } from './older-process.ts';
import type { State } from './snapshot.ts';

interface SceneDeps {
  readonly redis: Redis;
  readonly queuePrefix: string;
  readonly receiver: FakeReceiver;
  /** Starts the earlier version's code. */
  start(options: { readonly scheduleMs: readonly number[]; readonly breakerFailures: number }): OlderEngine;
}

const KINDS = ['transactional', 'campaign'] as const;
const DAY_MS = 86_400_000;
/** The second wait is that of the state `later`. */
const SCHEDULE_MS = [2500, 3_600_000];
const PARKED_AFTER = 3;

/** The receiver of a frozen batch does not answer. All others fail in a way that says nothing about the events. */
export const replyTo = (path: string): ReplyAction => (path.endsWith('/frozen') ? { hang: 'reply' } : { status: 503 });

/** Brings the mailboxes of an earlier version into their states. The account of a mailbox has the name of its state. */
export class Scene {
  readonly #deps: SceneDeps;
  readonly #feeder: OlderEngine;
  #numbers = 0;

  constructor(deps: SceneDeps) {
    this.#deps = deps;
    this.#feeder = deps.start({ scheduleMs: SCHEDULE_MS, breakerFailures: PARKED_AFTER });
  }

  /** Resolves with true if the version can pause. */
  async play(): Promise<boolean> {
    await this.#makeDeadLetters();
    const worker = this.#deps.start({ scheduleMs: SCHEDULE_MS, breakerFailures: PARKED_AFTER });
    await worker.send({ do: 'work' });
    let canPause = true;
    for (const kind of KINDS) {
      await this.#store(kind, 'later');
      await this.#publish(kind, 'later', kind === 'campaign' ? 3 : 1);
      canPause = await this.#pause(kind);
      await this.#park(kind);
      await this.#publish(kind, 'waiting', 3);
      if (kind === 'campaign') await this.#publish(kind, 'waiting', 2, { isUnsubscribe: true });
      await this.#untilWaiting(kind, 'waiting', 1);
      await this.#freeze(kind);
    }
    for (const kind of KINDS)
      await until('the second failure', () => this.#sentTo(kind, 'later') >= 2 && this.#isFar(kind, 'later'));
    await this.#failSoonDue();
    await worker.kill();
    for (const kind of KINDS) {
      await this.#store(kind, 'waiting');
      await this.#store(kind, 'chunk');
      await this.#publish(kind, 'chunk', 3);
    }
    await this.#feeder.kill();
    // A snapshot is saved before the resends in state `due` are due, and loaded after that.
    for (const kind of KINDS) await this.#mustBeParked(kind);
    return canPause;
  }

  async #makeDeadLetters(): Promise<void> {
    const { redis, queuePrefix } = this.#deps;
    const worker = this.#deps.start({ scheduleMs: [], breakerFailures: PARKED_AFTER });
    await worker.send({ do: 'work' });
    for (const kind of KINDS) {
      await this.#store(kind, 'dead-batch');
      await this.#publish(kind, 'dead-batch', 2);
      await this.#publish(kind, 'dead-waiting', 2);
      await this.#untilWaiting(kind, 'dead-waiting', 1);
      await this.#store(kind, 'dead-waiting', { version: 1, active: false });
    }
    const letters = `${engineKeys(queuePrefix, 0, 'campaign').shared}dls`;
    // One per notification, one per campaign batch, one per mailbox of waiting events.
    await until('the dead letters', async () => (await redis.zcard(letters)) === 5);
    for (const kind of KINDS) await this.#store(kind, 'dead-waiting', { version: 2, active: true });
    await worker.kill();
  }

  async #pause(kind: Mechanism): Promise<boolean> {
    await this.#store(kind, 'paused');
    const reply = await this.#feeder.send({ do: 'pause', kind, account: 'paused', untilMs: Date.now() + DAY_MS });
    if (reply !== 'paused') return false;
    await until('the pause', () => this.#isParked(kind, 'paused'));
    await this.#publish(kind, 'paused', 3);
    return true;
  }

  async #park(kind: Mechanism): Promise<void> {
    await this.#store(kind, 'parked');
    const isBatch = kind === 'campaign';
    for (let i = 1; i <= (isBatch ? PARKED_AFTER : 1); i += 1) {
      await this.#publish(kind, 'parked', isBatch ? 2 : PARKED_AFTER);
      await until('a failure', () => this.#sentTo(kind, 'parked') >= i);
    }
    await until('the parking', () => this.#isParked(kind, 'parked'));
    await this.#publish(kind, 'parked', 2);
  }

  async #freeze(kind: Mechanism): Promise<void> {
    await this.#store(kind, 'frozen');
    await this.#publish(kind, 'frozen', 1);
    await until('a batch in flight', () => this.#sentTo(kind, 'frozen') >= 1);
    await this.#publish(kind, 'frozen', 4);
    await this.#untilWaiting(kind, 'frozen', 2);
  }

  async #failSoonDue(): Promise<void> {
    for (const kind of KINDS) {
      await this.#store(kind, 'due');
      await this.#publish(kind, 'due', 2);
    }
    for (const kind of KINDS)
      await until(
        'the resends',
        async () => (await this.#dueTimes(kind, 'due')).length === (kind === 'campaign' ? 1 : 2),
      );
  }

  #store(kind: Mechanism, state: State, { version, active } = { version: 1, active: true }): Promise<unknown> {
    const address = `${this.#deps.receiver.url}/${kind}/${state}`;
    return this.#feeder.send({ do: 'save', kind, account: state, address, version, active });
  }

  #publish(
    kind: Mechanism,
    state: State,
    count: number,
    { isUnsubscribe } = { isUnsubscribe: false },
  ): Promise<unknown> {
    const events = Array.from({ length: count }, () => this.#newEvent(kind, isUnsubscribe));
    return this.#feeder.send({ do: 'publish', kind, account: state, events });
  }

  #newEvent(kind: Mechanism, isUnsubscribe: boolean): ProducerEvent {
    this.#numbers += 1;
    if (kind === 'transactional') return anOpen({ messageId: `message-${this.#numbers}` });
    const hash = this.#numbers.toString(16).padStart(32, '0');
    const email = `anna+${this.#numbers}@example.com`;
    return aCampaignEvent({ hash, email, ...(isUnsubscribe ? { event: 'unsubscribe' as const } : {}) });
  }

  #sentTo(kind: Mechanism, state: State): number {
    return this.#deps.receiver.requests.filter(({ path }) => path === `/${kind}/${state}`).length;
  }

  #key(kind: Mechanism, name: string): string {
    return engineKeys(this.#deps.queuePrefix, 0, kind).base + name;
  }

  #untilWaiting(kind: Mechanism, state: State, entries: number): Promise<unknown> {
    const list = this.#key(kind, `f:${idOf(kind, state)}`);
    return until(`${entries} entries of ${list}`, async () => (await this.#deps.redis.llen(list)) >= entries);
  }

  async #isParked(kind: Mechanism, state: State): Promise<boolean> {
    return (await this.#deps.redis.zscore(this.#key(kind, 'parked'), idOf(kind, state))) !== null;
  }

  async #mustBeParked(kind: Mechanism): Promise<void> {
    const parkedUntil = await this.#deps.redis.hget(this.#key(kind, `d:${idOf(kind, 'parked')}`), 'bu');
    if (Number(parkedUntil) < Date.now()) throw new Error(`the ${kind} destination is no longer parked: try again`);
  }

  /** The due times of the resends of a mailbox. */
  async #dueTimes(kind: Mechanism, state: State): Promise<number[]> {
    const { redis } = this.#deps;
    const ids = await redis.smembers(this.#key(kind, `xs:${idOf(kind, state)}`));
    const times = await Promise.all(ids.map((id) => redis.zscore(this.#key(kind, 'due'), id)));
    return times.filter((time) => time !== null).map(Number);
  }

  /** Whether every resend waits for an hour. */
  async #isFar(kind: Mechanism, state: State): Promise<boolean> {
    const times = await this.#dueTimes(kind, state);
    return times.length > 0 && times.every((ms) => ms > Date.now() + 60_000);
  }
}

const idOf = (kind: Mechanism, state: State): string => (kind === 'campaign' ? `campaign-${state}` : state);

const until = (what: string, isSo: () => boolean | Promise<boolean>) => eventually(isSo, { what, withinMs: 20_000 });
