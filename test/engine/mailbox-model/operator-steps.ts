import type { AllCommands } from '../../../packages/delivery/src/mailbox/commands/all.suite.ts';
import { newRecord } from '../../../packages/delivery/src/mailbox/mailbox-rig.suite.ts';
import type { Keyspace } from './keyspace.ts';
import { holdsAnything, isParked, isPaused } from './mailbox-state.ts';
import type { Lane } from './mailbox-state.ts';
import type { MailboxModel } from './model.ts';
import { entryOf } from './script-arguments.ts';
import { must } from './violation.ts';
import type { WorldParts } from './world-parts.ts';

/** A destination's record as `saveDestination` takes it. */
export const recordOf = (version: number, active: boolean, address = `http://127.0.0.1/${version}`) =>
  newRecord({ address, isActive: active, reason: active ? '' : 'off', version });

/** Actions of operators, and changes of the destination's record. */
export class OperatorSteps {
  readonly #keyspace: Keyspace;
  readonly #commands: AllCommands;
  readonly #model: MailboxModel;
  readonly #newId: () => string;
  readonly #destination: string;
  /** In the store, which loses no writes. */
  #version = 1;

  constructor({ keyspace, commands, model, newId }: WorldParts) {
    this.#keyspace = keyspace;
    this.#commands = commands;
    this.#model = model;
    this.#newId = newId;
    this.#destination = keyspace.destination;
  }

  async pause(untilMs: number): Promise<void> {
    const { s } = this.#model;
    const reply = await this.#commands.pause(this.#destination, untilMs);
    const expected = s.record.deleted ? 'unknown' : s.record.active ? 'paused' : 'inactive';
    must(reply === expected, `pause answers ${reply}`);
    if (reply !== 'paused') return;
    s.pausedUntilMs = untilMs;
    this.#model.makeReady();
  }

  async resume(): Promise<void> {
    const { s } = this.#model;
    const reply = await this.#commands.resume(this.#destination);
    const possible = isPaused(s) ? 'resumed' : 'not paused';
    const expected = s.record.deleted ? 'unknown' : s.record.active ? possible : 'inactive';
    must(reply === expected, `resume answers ${reply}`);
    if (reply !== 'resumed') return;
    s.pausedUntilMs = 0;
    this.#model.makeReady();
  }

  async giveUp(): Promise<void> {
    const { s } = this.#model;
    const reply = await this.#commands.requestGiveUp(this.#destination);
    const possible = holdsAnything(s) ? 'dropped' : 'empty';
    const expected = s.record.deleted ? 'unknown' : s.record.active ? possible : 'inactive';
    must(reply === expected, `giving up answers ${reply}`);
    if (reply !== 'dropped') return;
    s.givenUpUntilMs = (await this.#keyspace.read()).state.giveUpUntilMs;
    this.#model.makeReady();
  }

  async save(active: boolean, isNewAddress: boolean): Promise<void> {
    this.#version += 1;
    const version = this.#version;
    const address = isNewAddress ? undefined : await this.#keyspace.address();
    await this.#commands.saveDestination(this.#destination, recordOf(version, active, address));
    this.#model.save(version, active, isNewAddress);
  }

  /** An earlier version of the record arrives late. */
  async saveOld(): Promise<void> {
    const { s } = this.#model;
    if (s.record.version > 1)
      await this.#commands.saveDestination(this.#destination, recordOf(s.record.version - 1, !s.record.active));
  }

  async remove(): Promise<void> {
    await this.#commands.removeDestination(this.#destination, 'account');
    this.#model.remove();
  }

  /** A restored backup of the store has the deleted destination again. */
  async bringBack(): Promise<void> {
    if (!this.#model.s.record.deleted) return;
    this.#version += 1;
    const wanted = await this.#commands.saveDestination(this.#destination, recordOf(this.#version, true));
    must(typeof wanted === 'number', 'a deleted record is replaced');
    const isActive = this.#version % 2 === 0;
    await this.#commands.saveDestination(this.#destination, recordOf(this.#version, isActive), true);
    this.#model.save(this.#version, isActive, true, true);
  }

  async redrive(at: number): Promise<void> {
    const { s } = this.#model;
    const [id, events] = [...s.deadLetters][at % Math.max(1, s.deadLetters.size)] ?? [];
    if (id === undefined || events === undefined) return;
    const { redis, keys } = this.#keyspace;
    const [type, attempts, lane] = await redis.hmget(keys.deadLetter(id), 'type', 'attempts', 'lane');
    const entries = (await redis.lrange(keys.deadLetterEntries(id), 0, -1)).map(entryOf);
    const resend = this.#newId();
    const isRedriven = (await this.#commands.redrive(id, resend, resend)) === 'redriven';
    must(isRedriven === s.record.active, 'a dead letter is redriven to a destination that is off, or not at all');
    if (!isRedriven) return;
    s.deadLetters.delete(id);
    const wasSent = type === 'batch';
    if (wasSent) {
      this.#model.contents.see(resend, events);
      s.resends.set(resend, { events, attempt: Number(attempts), place: 'due', dueAtMs: 0 });
      s.due.push(resend);
    } else {
      s.lanes[lane as Lane].push(...entries);
    }
    if (!isPaused(s) && (!isParked(s) || wasSent)) this.#model.makeReady();
  }
}
