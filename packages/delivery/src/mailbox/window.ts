import { z } from 'zod';

/** A batch that stands in a mailbox's window: frozen, and not trimmed yet. */
export interface WindowEntry {
  /** `f` and `u` count elements at the head of their lane, `x` is a resend. */
  readonly lane: string;
  readonly elements: number;
  readonly events: number;
  readonly attempt: number;
  /** Answered; it stays while an older one of its lane is open. */
  readonly isDone: boolean;
}

/** [id, lane, elements, events, attempt, done], and whatever a later version puts behind. */
const entry = z.tuple([z.string(), z.string(), z.number(), z.number(), z.number(), z.number()]).rest(z.unknown());
const entries = z.array(entry);

/** The field `win` of a mailbox as the scripts write it (see `lua/README.md`); nothing is none. Throws on what is no window. */
export function readWindow(text: string | null | undefined): WindowEntry[] {
  if (text == null || text === '') return [];
  return entries
    .parse(JSON.parse(text))
    .map(([, lane, elements, events, attempt, done]) => ({ lane, elements, events, attempt, isDone: done === 1 }));
}
