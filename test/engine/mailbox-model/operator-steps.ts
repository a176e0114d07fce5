import type { MailboxCommands } from '../../../packages/delivery/src/mailbox/commands.ts';
import type { Keyspace } from './keyspace.ts';
import { holdsAnything, holdsEvents, isParked, isPaused } from './mailbox-state.ts';
import type { Lane } from './mailbox-state.ts';
import type { MailboxModel } from './model.ts';
import { entryOf } from './script-arguments.ts';
import { must } from './violation.ts';
import type { WorldParts } from './world-parts.ts';

/** A destination's record as `saveDestination` takes it. */
export const recordOf = (version: number, active: boolean) =>
  ['account', `http://127.0.0.1/${version}`, active ? '1' : '0', active ? '' : 'off', version, ''] as const;

/** Actions of operators, and changes of the destination's record. */
export class OperatorSteps {
  readonly #keyspace: Keyspace;
  readonly #commands: MailboxCommands;
  readonly #model: MailboxModel;
  readonly #newId: () => string;

  constructor({ keyspace, commands, model, newId }: WorldParts) {
    this.#keyspace = keyspace;
    this.#commands = commands;
    this.#model = model;
    this.#newId = newId;
  }

  async pause(untilMs: number): Promise<void> {
    const { s } = this.#model;
    const reply = await this.#commands.pause('d', untilMs);
    const expected = s.record.deleted ? 'unknown' : s.record.active ? 'paused' : 'inactive';
    must(reply === expected, `pause answers ${reply}`);
    if (reply !== 'paused') return;
    s.pausedUntilMs = untilMs;
    this.#model.queueReady();
  }

  async resume(): Promise<void> {
    const { s } = this.#model;
    const reply = await this.#commands.resume('d');
    const expected = s.record.deleted ? 'unknown' : isPaused(s) ? 'resumed' : 'not paused';
    must(reply === expected, `resume answers ${reply}`);
    if (reply !== 'resumed') return;
    s.pausedUntilMs = 0;
    this.#model.queueReady();
  }

  async giveUp(): Promise<void> {
    const { s } = this.#model;
    const reply = await this.#commands.requestGiveUp('d');
    const expected = s.record.deleted
      ? 'unknown'
      : !s.record.active
        ? 'inactive'
        : holdsAnything(s)
          ? 'dropped'
          : 'empty';
    must(reply === expected, `giving up answers ${reply}`);
    if (reply !== 'dropped') return;
    s.givenUpUntilMs = Number(await this.#keyspace.redis.hget(`${this.#keyspace.base}d:d`, 'drop'));
    this.#model.queueReady();
  }

  async save(active: boolean, isNewAddress: boolean): Promise<void> {
    const { s } = this.#model;
    const version = s.record.version + 1;
    const record = isNewAddress ? recordOf(version, active) : [...recordOf(version, active)];
    if (!isNewAddress)
      (record as unknown[])[1] = await this.#keyspace.redis.hget(`${this.#keyspace.base}d:d`, 'address');
    await this.#commands.saveDestination('d', record);
    if (s.record.deleted) return;
    const isSwitched = s.record.active !== active;
    s.record = { active, deleted: false, version };
    if (!isSwitched && !isNewAddress) return;
    s.breaker = { failures: 0, parkMs: 0, parkedUntilMs: 0 };
    if (isSwitched) {
      s.pausedUntilMs = 0;
      s.givenUpUntilMs = 0;
    }
    const holds = holdsEvents(s) || s.due.length > 0 || s.window.length > 0 || (!active && s.resends.size > 0);
    if (holds) this.#model.queueReady();
  }

  /** An earlier version of the record arrives late. */
  async saveOld(): Promise<void> {
    const { s } = this.#model;
    if (s.record.version > 1)
      await this.#commands.saveDestination('d', recordOf(s.record.version - 1, !s.record.active));
  }

  async remove(): Promise<void> {
    const { s } = this.#model;
    await this.#commands.removeDestination('d', 'account');
    s.record = { ...s.record, active: false, deleted: true };
    if (holdsAnything(s)) this.#model.queueReady();
  }

  async redrive(at: number): Promise<void> {
    const { s } = this.#model;
    const [id, events] = [...s.deadLetters][at % Math.max(1, s.deadLetters.size)] ?? [];
    if (id === undefined || events === undefined) return;
    const type = await this.#keyspace.redis.hget(`${this.#keyspace.base}dl:${id}`, 'type');
    const attempts = Number(await this.#keyspace.redis.hget(`${this.#keyspace.base}dl:${id}`, 'attempts'));
    const lane = (await this.#keyspace.redis.hget(`${this.#keyspace.base}dl:${id}`, 'lane')) as Lane | null;
    const entries = (await this.#keyspace.redis.lrange(`${this.#keyspace.base}dlm:${id}`, 0, -1)).map(entryOf);
    const resend = this.#newId();
    const isDone = (await this.#commands.redrive(id, resend, resend)) === 'redriven';
    must(isDone === s.record.active, 'a dead letter is redriven to a destination that is off, or not at all');
    if (!isDone) return;
    s.deadLetters.delete(id);
    if (type === 'mail' && lane !== null) {
      s.lanes[lane].push(...entries);
    } else {
      this.#model.contents.see(resend, events);
      s.resends.set(resend, { events, attempt: attempts, place: 'due', dueAtMs: 0 });
      s.due.push(resend);
    }
    if (!isPaused(s) && (!isParked(s) || type !== 'mail')) this.#model.queueReady();
  }
}
