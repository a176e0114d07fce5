import type { AllCommands } from '../../../packages/delivery/src/mailbox/commands/all.suite.ts';
import type { Keyspace } from './keyspace.ts';
import type { Entry, Lane, Name } from './mailbox-state.ts';
import type { MailboxModel } from './model.ts';
import { pick } from './pick.ts';
import { entryOf, entryTextOf } from './script-arguments.ts';
import { must } from './violation.ts';
import type { WorldParts } from './world-parts.ts';

/** An entry of a lane as it was read, and its position from the end. */
interface Read {
  readonly lane: Lane;
  readonly entry: Entry;
  readonly position: number;
}

/** The events that stay: of an even number every second one, of an odd number none. */
const restOf = (events: readonly Name[], keepsSome: boolean): Name[] =>
  keepsSome ? events.filter((_, i) => i % 2 === 1) : [];

/** Removes events of a person from all places where they wait. */
export class EraseSteps {
  readonly #keyspace: Keyspace;
  readonly #commands: AllCommands;
  readonly #model: MailboxModel;
  readonly #newId: () => string;
  /** What an earlier step has read. */
  #read: readonly Read[] = [];

  constructor({ keyspace, commands, model, newId }: WorldParts) {
    this.#keyspace = keyspace;
    this.#commands = commands;
    this.#model = model;
    this.#newId = newId;
  }

  /** Removes events of two entries of a lane. With `isLate`, the entries were read by an earlier step. */
  async waiting(at: number, keepsSome: boolean, isLate: boolean): Promise<void> {
    const { s } = this.#model;
    const now = (['f', 'u'] as const).flatMap((lane) =>
      s.lanes[lane].map((entry, i) => ({ lane, entry, position: i - s.lanes[lane].length })),
    );
    const read = isLate ? this.#read : now;
    this.#read = now;
    const first = pick(read, at);
    if (first === undefined) return;
    const { lane } = first;
    const others = read.filter((one) => one.lane === lane && one !== first);
    const chosen = [first, ...others.slice(0, 1)];
    const changes = chosen.map(({ entry, position }) => {
      const events = restOf(entry.events, keepsSome);
      return {
        position,
        entry: entryTextOf(entry),
        rest: events.length === 0 ? '' : entryTextOf({ ...entry, events }),
      };
    });
    const reply = await this.#commands.eraseWaiting({
      destination: this.#keyspace.destination,
      account: 'account',
      lane,
      changes,
    });
    const expected = { removed: 0, inFlight: 0, moved: 0, emptied: 0 };
    for (const { entry, rest } of changes) this.#eraseEntry(lane, entry, rest, expected);
    must(JSON.stringify(reply) === JSON.stringify(expected), `erasing answers ${JSON.stringify(reply)}`);
  }

  #eraseEntry(
    lane: Lane,
    text: string,
    rest: string,
    counts: Record<'removed' | 'inFlight' | 'moved' | 'emptied', number>,
  ) {
    const { s } = this.#model;
    const list = s.lanes[lane];
    const at = list.findIndex((entry) => entryTextOf(entry) === text);
    const kept = rest === '' ? [] : entryOf(rest).events;
    const removed = entryOf(text).events.filter((event) => !kept.includes(event));
    if (at === -1) {
      counts.moved += 1;
      return;
    }
    let frozen = 0;
    for (const batch of s.window) {
      if (batch.lane !== lane) continue;
      frozen += batch.entries;
      if (at >= frozen) continue;
      if (!batch.isSettled) counts.inFlight += removed.length;
      return;
    }
    for (const event of removed) s.erased.add(event);
    counts.removed += removed.length;
    if (rest === '') counts.emptied += 1;
    list.splice(at, 1, ...(rest === '' ? [] : [entryOf(rest)]));
  }

  async resend(at: number, keepsSome: boolean): Promise<void> {
    const { s } = this.#model;
    const [id, resend] = pick([...s.resends], at) ?? [];
    if (id === undefined || resend === undefined) return;
    const { redis, keys, destination } = this.#keyspace;
    const webhookId = (await redis.hget(keys.resend(id), 'webhookId')) ?? '';
    const kept = restOf(resend.events, keepsSome);
    const newId = this.#newId();
    const removed = await this.#commands.eraseResend({
      destination,
      account: 'account',
      resend: id,
      webhookId,
      rest: { id: newId, events: kept.length, body: kept.join('\n') },
    });
    if (resend.place === 'window') {
      must(removed === 'in flight', `erasing a resend in flight answers ${removed}`);
      return;
    }
    must(removed === resend.events.length - kept.length, `erasing a resend answers ${removed}`);
    for (const event of resend.events) if (!kept.includes(event)) s.erased.add(event);
    s.resends.delete(id);
    s.due = s.due.filter((one) => one !== id);
    if (kept.length === 0) return;
    this.#model.contents.see(newId, kept);
    s.resends.set(newId, { ...resend, events: kept });
    if (resend.place === 'due') s.due.push(newId);
  }

  /** Removes events from a dead letter. With `isLate`, the dead letter has changed since it was read. */
  async dead(at: number, keepsSome: boolean, isLate: boolean): Promise<void> {
    const { s } = this.#model;
    const [id, events] = pick([...s.deadLetters], at) ?? [];
    if (id === undefined || events === undefined) return;
    const { redis, keys } = this.#keyspace;
    const webhookId = (await redis.hget(keys.deadLetter(id), 'webhookId')) ?? '';
    const entries = (await redis.lrange(keys.deadLetterEntries(id), 0, -1)).map(entryOf);
    const wasSent = webhookId !== '';
    const restOfEntries = entries.map((entry) => restOf(entry.events, keepsSome));
    const kept = wasSent ? restOf(events, keepsSome) : restOfEntries.flat();
    const reply = await this.#commands.eraseDead({
      deadLetter: id,
      account: 'account',
      webhookId: isLate ? `${webhookId}-before` : webhookId,
      rest: wasSent ? { id: this.#newId(), events: kept.length, body: kept.join('\n') } : undefined,
      changes: entries.map((entry, position) => {
        const left = restOfEntries[position] ?? [];
        const rest = left.length === 0 ? '' : entryTextOf({ ...entry, events: left });
        return { position, entry: entryTextOf(entry), rest };
      }),
    });
    if (isLate) {
      must(reply === undefined, 'events of a dead letter are removed that has changed');
      return;
    }
    const wanted = { removed: events.length - kept.length, remaining: kept.length };
    must(JSON.stringify(reply) === JSON.stringify(wanted), `erasing a dead letter answers ${JSON.stringify(reply)}`);
    for (const event of events) if (!kept.includes(event)) s.erased.add(event);
    if (kept.length > 0) {
      s.deadLetters.set(id, kept);
      return;
    }
    await this.#commands.discard([id]);
    s.deadLetters.delete(id);
  }
}
