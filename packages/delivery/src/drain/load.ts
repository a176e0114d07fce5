import type { ByRecord } from '../scripts/scripts.ts';
import type { Drain } from './drain.ts';

/** What limits a worker's load. */
export interface LoadLimits {
  /** Destinations served at once, except those whose requests have been in flight for long: bounds CPU, never waiting. */
  readonly slots: number;
  /** Destinations owned at once: each holds a socket. */
  readonly ownedMax: number;
  /** Characters of batches in flight and held: bounds memory. */
  readonly inFlightCharsMax: number;
}

/** What the destinations in the slots may hold at most: each event costs CPU. */
const SLOT_CHARS_MAX = 8_000_000;
/** Share that destinations without a recent success may have of all that is scarce: a crowd of them must not hold up the others. */
const OTHERS_SHARE = 0.75;
/** Slots that they may have: a crowd that hangs passes through them, and each of its requests costs CPU. */
const OTHERS_SLOTS_MAX = 24;
/** Share of the slots that proven destinations may have: the others must get on. */
const PROVEN_SHARE = 0.9;
/** Above this share, requests that have been in flight for long make room for others. */
const CROWDED_SHARE = 0.7;

/** Counts what the owned destinations take of what is scarce (slots, sockets, memory), and how much room is left. */
export class Load {
  readonly #limits: LoadLimits;
  #owned = 0;
  #chars = 0;
  /** Of destinations that hold a slot. */
  readonly #slots = { proven: 0, others: 0 };
  #slotChars = 0;

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  /** Whether requests that have been in flight for long should make room. */
  get isCrowded(): boolean {
    const { ownedMax, inFlightCharsMax } = this.#limits;
    return this.#owned > ownedMax * CROWDED_SHARE || this.#chars > inFlightCharsMax * CROWDED_SHARE;
  }

  get isFull(): boolean {
    return this.#chars >= this.#limits.inFlightCharsMax;
  }

  /** How many more destinations may be claimed. */
  get room(): ByRecord {
    const { slots, ownedMax, inFlightCharsMax } = this.#limits;
    const { proven, others } = this.#slots;
    if (this.isFull || this.#slotChars >= SLOT_CHARS_MAX) return NO_ROOM;
    const free = Math.min(slots - proven - others, ownedMax - this.#owned);
    const isCrowd = this.#owned >= ownedMax * OTHERS_SHARE || this.#chars >= inFlightCharsMax * OTHERS_SHARE;
    return {
      proven: Math.max(0, Math.min(free, Math.ceil(slots * PROVEN_SHARE) - proven)),
      others: isCrowd
        ? 0
        : Math.max(0, Math.min(free, Math.min(OTHERS_SLOTS_MAX, Math.ceil(slots * OTHERS_SHARE)) - others)),
    };
  }

  /** A destination is owned now; it holds a slot. */
  add(drain: Drain): void {
    this.#owned += 1;
    this.#takeSlot(drain, 1);
  }

  /** A destination is not owned any more. Its requests may still be in flight. */
  remove(drain: Drain): void {
    this.#owned -= 1;
    this.setLate(drain, true);
  }

  /** Batches of a destination came (or went, where negative). */
  addChars(drain: Drain, chars: number): void {
    drain.chars += chars;
    this.#chars += chars;
    if (!drain.late) this.#slotChars += chars;
  }

  /** A destination whose requests have been in flight for long gives its slot back. */
  setLate(drain: Drain, late: boolean): void {
    if (drain.late === late) return;
    drain.late = late;
    this.#takeSlot(drain, late ? -1 : 1);
  }

  /** An attempt says whether the destination may have a proven one's place. */
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

const NO_ROOM: ByRecord = { proven: 0, others: 0 };
