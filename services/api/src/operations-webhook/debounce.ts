/** Whether a condition holds now. A paused destination is undecided. */
export type Verdict = 'holds' | 'over' | 'undecided';

/** What a message reports. */
export type Change = 'began' | 'ended';

/** What is known about a condition that holds or held. Times are Unix milliseconds. */
export interface Kept {
  readonly since: number;
  readonly isAnnounced?: true;
  /** Since when it has been over, after its message. */
  readonly overSince?: number;
}

interface Step {
  /** The message to publish first. */
  readonly change?: Change;
  /** What to know next. Undefined to forget it. */
  readonly kept?: Kept;
}

/**
 * Debounces a condition: it must hold for `beginAfterMs` before it is announced, and then be over for `endAfterMs`
 * without a break before its end is. Undefined if nothing changes.
 *
 * @param verdict undefined for something that no longer exists.
 */
export function debounced(
  kept: Kept,
  verdict: Verdict | undefined,
  nowMs: number,
  { beginAfterMs, endAfterMs }: { readonly beginAfterMs: number; readonly endAfterMs: number },
): Step | undefined {
  const { since, isAnnounced, overSince } = kept;
  if (verdict === undefined) return {};
  if (verdict === 'undecided') return undefined;
  if (isAnnounced !== true) {
    if (verdict === 'over') return {};
    return nowMs - since < beginAfterMs ? undefined : { change: 'began', kept: { since, isAnnounced: true } };
  }
  if (verdict === 'holds') return overSince === undefined ? undefined : { kept: { since, isAnnounced } };
  if (overSince === undefined) return { kept: { ...kept, overSince: nowMs } };
  return nowMs - overSince < endAfterMs ? undefined : { change: 'ended' };
}
