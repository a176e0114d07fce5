import { FRAGMENT_SEPARATOR } from './batch.ts';
import type { Outcome } from './outcome.ts';
import { nextSearchStep, nextStep } from './retry.ts';
import type { NextStep, RetryPolicy } from './retry.ts';

/**
 * Where a batch stands in the search for a poison event: not in it, its first or second half being tried (the first split, whose halves
 * decide together), or a deeper part, tried on its own.
 */
export type SplitStage = '' | 'first' | 'second' | 'deeper';

/** A batch (or one notification) that was sent, as the engine knows it. */
export interface SentBatch {
  /** Fragments joined by line breaks (see `domain/batch`). For the stages 'first' and 'second' the whole, of which one half was sent. */
  readonly fragments: string;
  readonly events: number;
  /** Recorded failures so far: the position in the schedule. In the search, those that said nothing of the events. */
  readonly step: number;
  /** True while every recorded failure was a refusal of the content. */
  readonly refusedOnly: boolean;
  readonly split: SplitStage;
}

/** What becomes of the events an attempt did not deliver. `same` keeps identity (`webhook-id`, bytes); otherwise it is a new batch. */
export interface FollowUp {
  readonly type: 'resend' | 'send-now' | 'dead';
  readonly same: boolean;
  readonly fragments: string;
  readonly events: number;
  readonly step: number;
  readonly refusedOnly: boolean;
  readonly split: SplitStage;
  readonly waitMs: number;
}

export interface Settlement {
  /** Events that are done with. */
  readonly delivered: number;
  readonly followUps: readonly FollowUp[];
}

export interface SettlePolicy {
  readonly retry: RetryPolicy;
  /** `PARTIAL_ACK`: resend exactly the unconfirmed events, or the whole request. */
  readonly partialAck: 'unconfirmed' | 'batch';
  /** `POISON_SPLIT`: search a refused batch for the event that its receiver cannot swallow. */
  readonly poisonSplit: boolean;
}

/** Statuses by which a receiver refuses the content itself. */
const REFUSAL_STATUSES: readonly number[] = [400, 413, 422];

/** Whether an attempt failed because of what was sent, as far as the reply tells. */
export const isRefusal = (outcome: Outcome): boolean =>
  outcome.name === 'invalid-reply' ||
  (outcome.name === 'rejected' && REFUSAL_STATUSES.includes(outcome.httpStatus ?? 0));

/**
 * What follows an attempt: nothing, a resend of the same, a new batch of the unconfirmed rest, a search for a poison event, or a dead
 * letter (spec, "Delivery rules" 4; design, section 3, "What receivers see").
 *
 * @param random in [0, 1), for the jitter. @param nowMs to read a `Retry-After` that is a date.
 */
export function settlement(
  batch: SentBatch,
  outcome: Outcome,
  policy: SettlePolicy,
  random: number,
  nowMs: number,
): Settlement {
  if (batch.split !== '') {
    const next = nextSearchStep(outcome, batch.step, policy.retry, random, nowMs);
    return splitSettlement(batch, outcome, next, policy.partialAck);
  }
  if (outcome.unconfirmed !== 'all' && outcome.unconfirmed.length === 0)
    return { delivered: batch.events, followUps: [] };
  const rest =
    outcome.unconfirmed !== 'all' && policy.partialAck === 'unconfirmed'
      ? pick(batch.fragments, outcome.unconfirmed)
      : undefined;
  const fragments = rest ?? batch.fragments;
  const events = rest === undefined ? batch.events : outcome.unconfirmed.length;
  const refusedOnly = batch.refusedOnly && isRefusal(outcome);
  const common = { same: rest === undefined, fragments, events, refusedOnly, split: '', waitMs: 0 } as const;
  const next = nextStep(outcome, batch.step, policy.retry, random, nowMs);
  const delivered = batch.events - events;
  if (next.type === 'resend') {
    return { delivered, followUps: [{ ...common, type: 'resend', step: next.step, waitMs: next.waitMs }] };
  }
  const search = policy.poisonSplit && refusedOnly && events > 1;
  if (search) return { delivered, followUps: [{ ...common, same: false, type: 'send-now', step: 0, split: 'first' }] };
  return { delivered, followUps: [{ ...common, type: 'dead', step: batch.step }] };
}

/** The part of a batch that its stage sends: all of it, or one half. */
export function partToSend(batch: Pick<SentBatch, 'fragments' | 'events' | 'split'>): Part {
  if (batch.split === '' || batch.split === 'deeper') return { fragments: batch.fragments, events: batch.events };
  const [first, second] = halves(batch.fragments);
  return batch.split === 'first' ? first : second;
}

/**
 * Beyond the schedule. A part that is refused is searched on, one that fails for another reason is sent again as `next` says. The first two
 * halves decide together: when both are refused, the receiver refuses everything.
 */
function splitSettlement(
  batch: SentBatch,
  outcome: Outcome,
  next: NextStep,
  partialAck: SettlePolicy['partialAck'],
): Settlement {
  const { step } = batch;
  const refused = isRefusal(outcome);
  const isWholeOpen = outcome.unconfirmed === 'all' || (partialAck === 'batch' && outcome.unconfirmed.length > 0);
  if (isWholeOpen && !refused && next.type === 'resend') return { delivered: 0, followUps: [again(batch, next)] };
  const [first, second] = halves(batch.fragments);
  switch (batch.split) {
    case 'first':
      if (refused) return { delivered: 0, followUps: [whole(batch, 'second')] };
      return { delivered: delivered(first, outcome), followUps: [...rest(first, outcome, next), alone(second, step)] };
    case 'second':
      // The first half was refused before.
      if (refused) return { delivered: 0, followUps: [dead(batch)] };
      return {
        delivered: delivered(second, outcome),
        followUps: [...deeper(first, step), ...rest(second, outcome, next)],
      };
    case 'deeper':
    case '':
      if (refused) return { delivered: 0, followUps: deeper(batch, step) };
      return { delivered: delivered(batch, outcome), followUps: rest(batch, outcome, next) };
  }
}

/** Some events of a batch. */
export interface Part {
  readonly fragments: string;
  readonly events: number;
}

const delivered = (part: Part, outcome: Outcome): number =>
  outcome.unconfirmed === 'all' ? 0 : part.events - outcome.unconfirmed.length;

/** What is open of a part that was not refused: nothing, its unconfirmed events, or, where no wait is left, all of it. */
function rest(part: Part, outcome: Outcome, next: NextStep): FollowUp[] {
  if (outcome.unconfirmed === 'all') return [dead(part)];
  if (outcome.unconfirmed.length === 0) return [];
  const open = { fragments: pick(part.fragments, outcome.unconfirmed), events: outcome.unconfirmed.length };
  if (next.type === 'dead') return [dead(open)];
  return [{ ...follow(open, next.step), type: 'resend', split: 'deeper', waitMs: next.waitMs }];
}

/** The faults that a part has met count for what it is cut into: or a receiver that is away now and then would draw the search out for ever. */
const deeper = (part: Part, step: number): FollowUp[] =>
  part.events === 1 ? [dead(part)] : halves(part.fragments).map((half) => alone(half, step));

/** A part tried for itself. */
const alone = (part: Part, step: number): FollowUp => ({ ...follow(part, step), type: 'send-now', split: 'deeper' });

/** The same part once more, under its own id: the stage stays, so that it sends the same. */
const again = (batch: SentBatch, { step, waitMs }: Extract<NextStep, { type: 'resend' }>): FollowUp => ({
  ...follow(batch, step),
  same: true,
  type: 'resend',
  split: batch.split,
  waitMs,
});

const follow = (part: Part, step: number) =>
  ({ same: false, fragments: part.fragments, events: part.events, step, refusedOnly: true, waitMs: 0 }) as const;

const dead = (part: Part): FollowUp => ({ ...follow(part, 0), type: 'dead', split: '' });

const whole = (batch: SentBatch, split: SplitStage): FollowUp => ({
  ...follow(batch, batch.step),
  type: 'send-now',
  split,
});

function halves(fragments: string): [Part, Part] {
  const list = fragments.split(FRAGMENT_SEPARATOR);
  const middle = Math.ceil(list.length / 2);
  const part = (some: string[]): Part => ({ fragments: some.join(FRAGMENT_SEPARATOR), events: some.length });
  return [part(list.slice(0, middle)), part(list.slice(middle))];
}

function pick(fragments: string, positions: readonly number[]): string {
  const list = fragments.split(FRAGMENT_SEPARATOR);
  return positions.map((position) => list[position]).join(FRAGMENT_SEPARATOR);
}
