import type { CountsByProven } from '../mailbox/commands/engine.ts';
import type { Drain, Flight } from './drain.ts';
import {
  CROWDED_SHARE,
  CUT_AFTER_MS,
  CUT_AT_ONCE,
  CUT_PROVEN_AFTER_MS,
  GATHERING_SLOTS,
  LATE_MS,
  LATE_WHEN_AWAITED_MS,
  OTHERS_SHARE_MAX,
  OTHERS_SLOW_MS,
  PROVEN_SLOTS_SHARE_MAX,
  SLOT_CHARS_MAX,
  SLOW_OTHERS_SLOTS_MAX,
} from './limits.ts';

/** Limits of a worker's load. */
export interface LoadLimits {
  /**
   * Most slots that destinations hold (`slotsOf`). Those that wait long for a reply hold none. Bounds the CPU load.
   */
  readonly slots: number;
  /** Most destinations owned together. Each holds a socket. */
  readonly ownedMax: number;
  /** Most characters of batches in flight and held. Bounds memory. */
  readonly inFlightCharsMax: number;
}

export const NO_ROOM: CountsByProven = { proven: 0, others: 0 };

/** The slots of a destination, by the most events that its requests carry. */
export const slotsOf = (maxEvents: number): number => (maxEvents > 1 ? GATHERING_SLOTS : 1);

/** What a destination uses. */
interface Use {
  /** False for one that was left while its requests are still in flight. */
  isOwned: boolean;
  isProven: boolean;
  readonly slots: number;
  /** It holds no slot: its last attempt failed, or its requests have been in flight for long. */
  isLate: boolean;
  /** Characters of its batches in flight and held. */
  chars: number;
}

/**
 * Which destinations a worker may own. The rule: a destination holds its slots only while its receiver answers quickly,
 * and those whose last attempt did not succeed share a part of the slots, so that receivers that hang never keep a
 * healthy one waiting. When sockets or memory run short, the oldest requests to doubtful receivers are cut.
 */
export class Admission {
  readonly #limits: LoadLimits;
  readonly #uses = new Map<Drain, Use>();
  #owned = 0;
  #chars = 0;
  #slotChars = 0;
  /** Slots that are held. */
  readonly #slots = { proven: 0, others: 0 };
  /** The maximum number of destinations that calls in progress may claim: per kind, and of both kinds together. */
  readonly #reserved = { proven: 0, others: 0, all: 0 };
  #othersSlowUntilMs = 0;
  #nowMs = 0;

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  /** Whether old requests should be cut to make room. */
  get isCrowded(): boolean {
    const { ownedMax, inFlightCharsMax } = this.#limits;
    return this.#owned > ownedMax * CROWDED_SHARE || this.#chars > inFlightCharsMax * CROWDED_SHARE;
  }

  /** Whether there is no memory for more batches. */
  get isFull(): boolean {
    return this.#chars >= this.#limits.inFlightCharsMax;
  }

  /**
   * How many more destinations may be owned, beside those that calls in progress may claim. If they take several slots
   * each, as only the claim shows, there is no room afterwards until as many are free again.
   */
  get room(): CountsByProven {
    const { slots, ownedMax, inFlightCharsMax } = this.#limits;
    if (this.isFull || this.#slotChars >= SLOT_CHARS_MAX) return NO_ROOM;
    const { proven, others } = this.#slots;
    const free = Math.min(slots - proven - others, ownedMax - this.#owned) - this.#reserved.all;
    const isFullForOthers =
      this.#owned >= ownedMax * OTHERS_SHARE_MAX || this.#chars >= inFlightCharsMax * OTHERS_SHARE_MAX;
    return {
      proven: Math.max(0, Math.min(free, Math.ceil(slots * PROVEN_SLOTS_SHARE_MAX) - proven - this.#reserved.proven)),
      others: isFullForOthers ? 0 : Math.max(0, Math.min(free, this.#othersMax - others - this.#reserved.others)),
    };
  }

  /** Whether there will soon be room for that many destinations, because receivers answer quickly. */
  expectsRoom(destinations: number): boolean {
    return !this.#areOthersSlow && !this.isCrowded && destinations <= this.#othersMax;
  }

  get #areOthersSlow(): boolean {
    return this.#nowMs < this.#othersSlowUntilMs;
  }

  get #othersMax(): number {
    const most = Math.ceil(this.#limits.slots * OTHERS_SHARE_MAX);
    return this.#areOthersSlow ? Math.min(SLOW_OTHERS_SLOTS_MAX, most) : most;
  }

  /**
   * Reserves room for a call that may claim up to `proven` and `others` destinations, and at most `all` together.
   * Returns a function that ends the reservation.
   */
  reserve({ proven, others }: CountsByProven, all: number): () => void {
    const add = (sign: 1 | -1): void => {
      this.#reserved.proven += sign * proven;
      this.#reserved.others += sign * others;
      this.#reserved.all += sign * all;
    };
    add(1);
    return () => add(-1);
  }

  isProven(drain: Drain): boolean {
    return this.#uses.get(drain)?.isProven === true;
  }

  /** A destination that is owned takes its slots. */
  enter(drain: Drain, isProven: boolean, slots = 1): void {
    const use = { isOwned: true, isProven, slots, isLate: false, chars: 0 };
    this.#uses.set(drain, use);
    this.#owned += 1;
    this.#takeSlots(use, 1);
  }

  /** A destination is owned no longer. Its requests that are still in flight take memory, but no slot. */
  leave(drain: Drain): void {
    const use = this.#uses.get(drain);
    if (use?.isOwned !== true) return;
    use.isOwned = false;
    this.#owned -= 1;
    this.#setLate(use, true);
    if (use.chars === 0) this.#uses.delete(drain);
  }

  /** Characters of a batch that is in flight or held from now on, or negative when it ends. */
  addChars(drain: Drain, chars: number): void {
    const use = this.#uses.get(drain);
    if (use === undefined) return;
    use.chars += chars;
    this.#chars += chars;
    if (!use.isLate) this.#slotChars += chars;
    if (!use.isOwned && use.chars === 0) this.#uses.delete(drain);
  }

  /** A request starts. After a failure the receiver is likely to hang again, so its destination takes no slot. */
  onStart(drain: Drain): void {
    const use = this.#uses.get(drain);
    if (use?.isOwned === true) this.#setLate(use, drain.failures > 0);
  }

  /** An attempt has ended. */
  onAttempt(drain: Drain): void {
    const use = this.#uses.get(drain);
    const isProven = drain.failures === 0;
    if (use === undefined || use.isProven === isProven) return;
    if (!use.isLate) this.#takeSlots(use, -1);
    use.isProven = isProven;
    if (!use.isLate) this.#takeSlots(use, 1);
  }

  /**
   * Takes the slots of destinations whose requests have been in flight for long. `isAwaited`: others wait for a slot.
   * Those that wait for a TLS handshake keep theirs, so that a burst of new https destinations makes no long line.
   */
  onTick(nowMs: number, isAwaited: boolean): void {
    this.#nowMs = nowMs;
    const lateMs = isAwaited ? LATE_WHEN_AWAITED_MS : LATE_MS;
    for (const [drain, use] of this.#uses) {
      if (!use.isOwned || drain.flights.length === 0 || drain.flights.some(({ isInLine }) => isInLine)) continue;
      const waitedMs = nowMs - drain.lastStartMs;
      if (waitedMs > lateMs) this.#setLate(use, true);
      if (waitedMs > LATE_MS && !use.isProven) this.#othersSlowUntilMs = nowMs + OTHERS_SLOW_MS;
    }
  }

  /** The requests to cut, first those to receivers that are most likely to hang. `flights`: oldest first. */
  toCut(flights: Iterable<Flight>, nowMs: number): readonly Flight[] {
    const ripe: Flight[] = [];
    for (const flight of flights) {
      const ageMs = nowMs - flight.startedMs;
      if (ageMs < CUT_AFTER_MS) break;
      const isRipe = !this.isProven(flight.drain) || ageMs > CUT_PROVEN_AFTER_MS;
      if (flight.cut !== undefined && isRipe) ripe.push(flight);
    }
    ripe.sort((a, b) => this.#doubtOf(b) - this.#doubtOf(a));
    return ripe.slice(0, CUT_AT_ONCE);
  }

  /** How likely it is that a receiver hangs. */
  #doubtOf({ drain }: Flight): number {
    if (drain.failures > 0) return 2;
    return this.isProven(drain) ? 0 : 1;
  }

  #setLate(use: Use, isLate: boolean): void {
    if (use.isLate === isLate) return;
    use.isLate = isLate;
    this.#takeSlots(use, isLate ? -1 : 1);
  }

  #takeSlots({ isProven, slots, chars }: Use, by: 1 | -1): void {
    this.#slots[isProven ? 'proven' : 'others'] += by * slots;
    this.#slotChars += by * chars;
  }
}
