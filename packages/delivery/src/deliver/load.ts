import type { CountsByProven } from '../mailbox/commands.ts';
import type { Drain } from './drain.ts';

/** Limits of a worker's load. */
export interface LoadLimits {
  /** Most destinations that hold a slot. Those that wait long for a reply hold none. Bounds the CPU load. */
  readonly slots: number;
  /** Most destinations owned at once. Each holds a socket. */
  readonly ownedMax: number;
  /** Most characters of batches in flight and held. Bounds memory. */
  readonly inFlightCharsMax: number;
}

/** Most characters of batches of destinations with a slot. Each event costs CPU. */
const SLOT_CHARS_MAX = 8_000_000;
/** The others (last attempt failed, or none yet) use at most this share of slots, sockets and memory, so that proven ones always find room. */
const OTHERS_SHARE_MAX = 0.75;
/** Most slots for the others while some of them hang. Hanging receivers pass through the slots, and each request costs CPU. */
const SLOW_OTHERS_SLOTS_MAX = 24;
/** Proven destinations use at most this share of the slots, so that about a tenth stays free for the others. */
const PROVEN_SLOTS_SHARE_MAX = 0.9;
/** Above this share, the pool cuts old requests to make room. */
const CROWDED_SHARE = 0.7;

export const NO_ROOM: CountsByProven = { proven: 0, others: 0 };

/** Counts the slots, sockets and memory that owned destinations use, and computes the remaining room. */
export class Load {
  readonly #limits: LoadLimits;
  #owned = 0;
  #chars = 0;
  /** Destinations that hold a slot. */
  readonly #slots = { proven: 0, others: 0 };
  #slotChars = 0;
  /** Whether a destination of the others was late in the last seconds. */
  areOthersSlow = false;

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  /** Whether the pool should cut old requests to make room. */
  get isCrowded(): boolean {
    const { ownedMax, inFlightCharsMax } = this.#limits;
    return this.#owned > ownedMax * CROWDED_SHARE || this.#chars > inFlightCharsMax * CROWDED_SHARE;
  }

  get isFull(): boolean {
    return this.#chars >= this.#limits.inFlightCharsMax;
  }

  /** Most slots for destinations without a successful last attempt. */
  get othersMax(): number {
    const { slots } = this.#limits;
    return Math.min(this.areOthersSlow ? SLOW_OTHERS_SLOTS_MAX : slots, Math.ceil(slots * OTHERS_SHARE_MAX));
  }

  /** How many more destinations may be claimed. */
  get room(): CountsByProven {
    const { slots, ownedMax, inFlightCharsMax } = this.#limits;
    const { proven, others } = this.#slots;
    if (this.isFull || this.#slotChars >= SLOT_CHARS_MAX) return NO_ROOM;
    const free = Math.min(slots - proven - others, ownedMax - this.#owned);
    const isCrowd = this.#owned >= ownedMax * OTHERS_SHARE_MAX || this.#chars >= inFlightCharsMax * OTHERS_SHARE_MAX;
    return {
      proven: Math.max(0, Math.min(free, Math.ceil(slots * PROVEN_SLOTS_SHARE_MAX) - proven)),
      others: isCrowd ? 0 : Math.max(0, Math.min(free, this.othersMax - others)),
    };
  }

  /** Adds a claimed destination, which takes a slot. */
  add(drain: Drain): void {
    this.#owned += 1;
    this.#takeSlot(drain, 1);
  }

  /** Removes a released destination. It counts as late, so that its requests that are still in flight take no slot. */
  remove(drain: Drain): void {
    this.#owned -= 1;
    this.setLate(drain, true);
  }

  /** Counts characters of a destination's batches. Negative when a batch ends. */
  addChars(drain: Drain, chars: number): void {
    drain.chars += chars;
    this.#chars += chars;
    if (!drain.late) this.#slotChars += chars;
  }

  /** A late destination holds no slot (see `Drain.late`). */
  setLate(drain: Drain, late: boolean): void {
    if (drain.late === late) return;
    drain.late = late;
    this.#takeSlot(drain, late ? -1 : 1);
  }

  /** Moves a destination between the two kinds after an attempt. */
  setProven(drain: Drain, isProven: boolean): void {
    if (drain.isProven === isProven) return;
    if (!drain.late) this.#takeSlot(drain, -1);
    drain.isProven = isProven;
    if (!drain.late) this.#takeSlot(drain, 1);
  }

  #takeSlot({ isProven, chars }: Drain, by: 1 | -1): void {
    this.#slots[isProven ? 'proven' : 'others'] += by;
    this.#slotChars += by * chars;
  }
}
