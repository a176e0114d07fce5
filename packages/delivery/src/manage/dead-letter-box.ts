import { randomBytes } from 'node:crypto';
import type { DeadLetterSummary, RedriveResult } from '@mailhook/core';
import { destinationIdOf, engineQueues } from '@mailhook/core';
import type { DeadLetters } from './dead-letters.ts';
import { createDeadLetters } from './dead-letters.ts';
import { readStoppedMs } from '../mailbox/accounts.ts';
import type { RedriveStep } from '../mailbox/accounts.ts';
import type { DeadLetterCommands } from '../mailbox/commands/manage.ts';
import { createDeadLetterCommands } from '../mailbox/commands/manage.ts';
import type { RedriveReply } from '../mailbox/commands/manage.ts';
import { readDeadLetters } from '../mailbox/records.ts';
import type { DeadLetterId } from '../mailbox/dead-letter-id.ts';
import { deadLetterJobId, parseDeadLetterId } from '../mailbox/dead-letter-id.ts';
import type { Installation } from '../mailbox/installation.ts';
import { engineKeys } from '../mailbox/keys.ts';
import type { Discarded } from './discard.ts';
import { addDiscarded, discardDeadLetters, NOTHING_DISCARDED } from './discard.ts';

interface DeadLetterFilter {
  /** Without it, all accounts (for operators). */
  readonly account?: string | undefined;
  readonly address?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly from?: string | undefined;
  /** For a redrive: a subscription id, or `campaign-<account>`. */
  readonly destination?: string | undefined;
}

export interface DeadLetterBox extends Pick<DeadLetters, 'list' | 'groups' | 'summary' | 'read'> {
  /**
   * Turns dead letters into resends that are due now. They leave the list, and their `attempt` continues. Each is one
   * atomic step, so a run that ends in the middle, or two at the same time, lose none and redrive none twice. The
   * summary of an account shows the progress of its runs.
   *
   * @param sinceMs a stop since this `redriveTime` also stops this run of an account. Default: now.
   */
  redrive(filter: DeadLetterFilter, sinceMs?: number): Promise<RedriveResult>;
  redriveTime(account: string): Promise<number>;
  /** Stops the runs of an account that have begun. What they have not redriven yet stays. */
  stopRedrive(account: string): Promise<void>;
  isStoppedSince(account: string, sinceMs: number): Promise<boolean>;
  /**
   * Deletes dead letters permanently, page by page, for an operator with a full Redis. Those that arrive meanwhile may
   * stay.
   */
  discard(filter: DeadLetterFilter): Promise<Discarded>;
}

type Place = Readonly<Record<'account' | 'address' | 'destination', string | null | undefined>>;

const isSelected = (filter: DeadLetterFilter, { account, address, destination }: Place): boolean =>
  (filter.account ?? account) === account &&
  (filter.address ?? address) === address &&
  (filter.destination ?? destination) === destination;

/** The dead letters of all shards, which are kept for 7 days. */
export function createDeadLetterBox(installation: Installation): DeadLetterBox {
  return new RedisDeadLetterBox(installation);
}

class RedisDeadLetterBox implements DeadLetterBox {
  readonly #installation: Installation;
  readonly #deadLetters: DeadLetters;

  constructor(installation: Installation) {
    this.#installation = installation;
    this.#deadLetters = createDeadLetters(installation);
  }

  list(...args: Parameters<DeadLetterBox['list']>): ReturnType<DeadLetterBox['list']> {
    return this.#deadLetters.list(...args);
  }

  groups(...args: Parameters<DeadLetterBox['groups']>): ReturnType<DeadLetterBox['groups']> {
    return this.#deadLetters.groups(...args);
  }

  summary(account: string): Promise<DeadLetterSummary> {
    return this.#deadLetters.summary(account);
  }

  read(account: string, id: string): ReturnType<DeadLetterBox['read']> {
    return this.#deadLetters.read(account, id);
  }

  async redrive(filter: DeadLetterFilter, sinceMs?: number): Promise<RedriveResult> {
    const { account } = filter;
    const run = randomBytes(8).toString('hex');
    const begun = account === undefined ? undefined : await this.#begin(account, filter, run, sinceMs);
    if (begun?.isStopped === true) return { redriven: 0 };
    let redriven = 0;
    let inactive = 0;
    let left = begun?.events ?? 0;
    let isStopped = false;
    for await (const page of this.#deadLetters.pages(filter)) {
      const results = await Promise.all(
        page.map(({ id }) =>
          this.#redriveOne(parseDeadLetterId(id) as DeadLetterId, filter, run, begun && { ...begun, left }),
        ),
      );
      page.forEach(({ events }, i) => (left -= results[i] === 'redriven' ? events : 0));
      redriven += results.filter((result) => result === 'redriven').length;
      inactive += results.filter((result) => result === 'inactive').length;
      isStopped = results.includes('stopped');
      if (isStopped) break;
    }
    if (account !== undefined && !isStopped) await this.#commandsOf(account).endRedrive(account, run);
    return { redriven, ...(inactive === 0 ? {} : { inactive }) };
  }

  redriveTime(account: string): Promise<number> {
    return this.#commandsOf(account).redriveTime(account);
  }

  async stopRedrive(account: string): Promise<void> {
    await this.#commandsOf(account).stopRedrive(account);
  }

  async isStoppedSince(account: string, sinceMs: number): Promise<boolean> {
    const keys = this.#installation.keysOf(account, 'campaign');
    return (await readStoppedMs(this.#installation.redis, keys, account)) >= sinceMs;
  }

  async discard(filter: DeadLetterFilter): Promise<Discarded> {
    let done = NOTHING_DISCARDED;
    for await (const page of this.#deadLetters.pages(filter)) {
      const places = page
        .filter((one) => isSelected(filter, { ...one, destination: destinationIdOf(one.account, one.destination) }))
        .map(({ id }) => parseDeadLetterId(id) as DeadLetterId);
      done = addDiscarded(done, await discardDeadLetters(this.#installation, places));
      await Promise.all(places.map((place) => this.#removeJob(place)));
    }
    return done;
  }

  /** Notes how many events a run of an account will redrive. To count them takes time, in which a stop may come. */
  async #begin(
    account: string,
    filter: DeadLetterFilter,
    run: string,
    sinceMs?: number,
  ): Promise<{ readonly begunMs: number; readonly events: number; readonly isStopped: boolean }> {
    const commands = this.#commandsOf(account);
    const begunMs = sinceMs ?? (await commands.redriveTime(account));
    let events = 0;
    for await (const page of this.#deadLetters.pages(filter)) {
      for (const one of page)
        if (isSelected(filter, { ...one, destination: destinationIdOf(one.account, one.destination) }))
          events += one.events;
    }
    return { begunMs, events, isStopped: (await commands.beginRedrive(account, run, events, begunMs)) === 0 };
  }

  /** For what both mechanisms of an account share. */
  #commandsOf(account: string): DeadLetterCommands {
    const { redis } = this.#installation;
    return createDeadLetterCommands(redis, this.#installation.keysOf(account, 'campaign'));
  }

  async #redriveOne(
    place: DeadLetterId,
    filter: DeadLetterFilter,
    run: string,
    step: RedriveStep | undefined,
  ): Promise<RedriveReply> {
    const { redis, prefix } = this.#installation;
    const keys = engineKeys(prefix, place.shard, place.kind);
    const [found] = await readDeadLetters(redis, prefix, [place]);
    if (found === undefined || !isSelected(filter, found)) return 'gone';
    const resend = `r${randomBytes(8).toString('hex')}`;
    const result = await createDeadLetterCommands(redis, keys).redrive(place.id, resend, run, step);
    if (result === 'redriven') await this.#removeJob(place);
    return result;
  }

  /**
   * Removes a dead letter's job from Bull Board. A job that is left behind does no harm, because it finds nothing to
   * redrive.
   */
  async #removeJob({ kind, shard, id }: DeadLetterId): Promise<void> {
    await this.#installation
      .queue(engineQueues(kind).deadLetters, shard)
      .remove(deadLetterJobId(id))
      .catch(() => 0);
  }
}
