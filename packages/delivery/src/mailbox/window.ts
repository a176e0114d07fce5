import { z } from 'zod';

/** A frozen batch in a mailbox's window that is not trimmed yet. */
export interface WindowBatch {
  readonly id: string;
  /** `f` or `u` for new events at the head of that lane, `x` for a resend. */
  readonly lane: string;
  /** The number of its entries in the lane. */
  readonly entries: number;
  readonly events: number;
  readonly attempt: number;
  /** Settled. The batch stays in the window until the earlier batches of its lane are settled. */
  readonly isDone: boolean;
}

/** [id, lane, entries, events, attempt, settled, bytes] */
const batch = z.tuple([z.string(), z.string(), z.number(), z.number(), z.number(), z.number(), z.number()]);
const batches = z.array(batch);

/** Reads the field `win` of a mailbox as the commands write it (see `lua/README.md`). Throws if the text is not a window. */
export function readWindow(text: string | null | undefined): WindowBatch[] {
  if (text == null || text === '') return [];
  return batches.parse(JSON.parse(text)).map(([id, lane, entries, events, attempt, settled]) => ({
    id,
    lane,
    entries,
    events,
    attempt,
    isDone: settled === 1,
  }));
}
