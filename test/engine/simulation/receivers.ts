import { coded } from '@mailhook/core';
import type { Mechanism, Outcome } from '@mailhook/core';
import type { Sender } from '../../../packages/delivery/src/deliver/send.ts';
import type { FrozenBatch } from '../../../packages/delivery/src/mailbox/replies.ts';
import type { Sent } from '../../../packages/delivery/src/record/attempt.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import type { Process, Scheduler } from './scheduler.ts';
import { LONGEST_MS } from './settings.ts';

type Mood = 'well' | 'slow' | 'refuses' | 'hangs' | 'takes some' | 'cannot be reached' | 'leaves no port';
const MOODS: readonly Mood[] = ['well', 'slow', 'refuses', 'hangs', 'takes some', 'cannot be reached'];

/** The receivers of all destinations. Each is in a mood, which faults change. */
export class Receivers {
  readonly #scheduler: Scheduler;
  readonly #ledger: Ledger;
  readonly #kind: Mechanism;
  readonly #moods = new Map<string, Mood>();

  constructor(scheduler: Scheduler, ledger: Ledger, kind: Mechanism) {
    this.#scheduler = scheduler;
    this.#ledger = ledger;
    this.#kind = kind;
  }

  get #random(): Random {
    return this.#scheduler.random;
  }

  changeMood(destination: string, hasShortages: boolean): void {
    const mood = hasShortages && this.#random.chance(0.3) ? 'leaves no port' : this.#random.pick(MOODS);
    this.#moods.set(destination, mood);
    this.#scheduler.log?.(`the receiver of ${destination}: ${mood}`);
  }

  allWell(): void {
    this.#moods.clear();
  }

  eventsOf = (content: string): readonly string[] =>
    this.#kind === 'campaign' ? content.split('\n') : [content.slice(content.indexOf('\n') + 1)];

  /** Sends for one worker. `onStart`: a request begins. */
  senderOf(process: Process, onStart: (address: string) => void): Sender {
    return {
      send: (batch, { address }, webhookId, handle) => {
        onStart(address);
        return new Promise((resolve) => {
          const mood = this.#moods.get(address) ?? 'well';
          const answer = (sent: Awaited<ReturnType<Sender['send']>>, afterMs: number): void => {
            const { nowMs } = this.#scheduler;
            this.#scheduler.at(nowMs + afterMs, process, 'io', () => resolve(sent));
          };
          if (mood === 'leaves no port') {
            answer({ localFault: { type: 'local-fault', cause: 'ports', detail: 'no port' } }, 1);
            return;
          }
          this.#scheduler.log?.(`request ${webhookId} to ${address}: ${batch.fragments.replaceAll('\n', ' ')}`);
          // An error here would count as a failed attempt.
          this.#scheduler.checkNow(() => this.#ledger.request(webhookId, batch.fragments));
          handle.cut = () => {
            this.#scheduler.reached.add('a request is cut');
            answer(sentAs(batch, CUT), 0);
          };
          const { outcome, taken, afterMs } = this.#outcomeOf(mood, batch);
          // The receiver has them, whatever becomes of the worker.
          this.#scheduler.after(Math.min(afterMs, this.#random.int(0, 30)), () => {
            for (const event of taken) this.#ledger.deliver(event, this.#scheduler.nowMs);
          });
          answer(sentAs(batch, outcome), afterMs);
        });
      },
    };
  }

  #outcomeOf(mood: Mood, batch: FrozenBatch): { outcome: Outcome; taken: readonly string[]; afterMs: number } {
    const events = this.eventsOf(batch.fragments);
    const random = this.#random;
    switch (mood) {
      case 'slow':
        return { outcome: DELIVERED, taken: events, afterMs: random.int(60, 1200) };
      case 'refuses':
        return { outcome: REFUSED, taken: [], afterMs: random.int(1, 30) };
      case 'hangs':
        return { outcome: TIMEOUT, taken: random.chance(0.5) ? events : [], afterMs: LONGEST_MS.request };
      case 'cannot be reached':
        return { outcome: UNREACHABLE, taken: [], afterMs: random.int(1, 10) };
      case 'takes some': {
        const isTaken = events.map(() => random.chance(0.5));
        const unconfirmed = events.flatMap((_, i) => (isTaken[i] === true ? [] : [i]));
        if (this.#kind === 'campaign' && unconfirmed.length > 0 && unconfirmed.length < events.length) {
          const taken = events.filter((_, i) => isTaken[i]);
          return { outcome: { ...DELIVERED, error: coded('cut'), unconfirmed }, taken, afterMs: random.int(1, 30) };
        }
        return { outcome: DELIVERED, taken: events, afterMs: random.int(1, 30) };
      }
      case 'well':
      case 'leaves no port':
        return { outcome: DELIVERED, taken: events, afterMs: random.int(1, 30) };
    }
  }
}

const sentAs = ({ fragments, events }: FrozenBatch, outcome: Outcome): Sent => ({
  outcome,
  durationMs: 1,
  events,
  fragments,
  eventKeys: [],
});

const DELIVERED: Outcome = {
  name: 'delivered',
  httpStatus: 200,
  error: undefined,
  unconfirmed: [],
  retryAfter: undefined,
};
const failed = (name: Outcome['name'], httpStatus?: number): Outcome => ({
  name,
  httpStatus,
  error: coded('cut'),
  unconfirmed: 'all',
  retryAfter: undefined,
});
const REFUSED = failed('rejected', 503);
const TIMEOUT = failed('timeout');
const UNREACHABLE = failed('unreachable');
const CUT = failed('cut');
