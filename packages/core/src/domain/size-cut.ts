import { bodyBytes, FRAGMENT_SEPARATOR } from './fragment.ts';
import { partOf } from './sent-batch.ts';
import type { Part, SentBatch } from './sent-batch.ts';
import type { FittingSize } from './size-limit.ts';

/**
 * Cuts a batch that was too large for its receiver (413), at once and outside the schedule (docs/decisions/0003).
 * Mailhook sends smaller and smaller requests with the first events, until one gets another reply. Until then the batch
 * stays one record, and its field `search` holds the state.
 *
 * '' means not cut. `cut <bytes>` means that the request carries the first events that fit. `whole` means that a single
 * event was too large too.
 */
export const REFUSED_AT_ANY_SIZE = 'whole';

const CUT = 'cut ';

/** The byte limit of the next request, for a batch that is being cut. */
const triedBytes = ({ search }: Pick<SentBatch, 'search'>): number => Number(search.slice(CUT.length));

/** The events of the next request. */
export function firstPart(batch: Pick<SentBatch, 'fragments' | 'events' | 'search'>): Part {
  if (!batch.search.startsWith(CUT)) return batch;
  const list = batch.fragments.split(FRAGMENT_SEPARATOR);
  return partOf(list, 0, fitting(list, 0, triedBytes(batch)));
}

/** The field `search` of the next try after a 413 to `part`. Returns undefined when the batch cannot be cut. */
export function smallerCut(batch: SentBatch, part: Part): string | undefined {
  if (part.events === 1 || batch.search === REFUSED_AT_ANY_SIZE) return undefined;
  const bytes = bodyBytes(part);
  const { maxBytes = 0, takenBytes = 0 } = batch.sizeLimit ?? {};
  // A 413 within the limit means that the limit grew too far. The largest body that was taken before fits.
  const known = [maxBytes, takenBytes].find((size) => size > 0 && size < bytes);
  return `${CUT}${known ?? Math.floor(bytes / 2)}`;
}

/** The size of the first part of a batch that is being cut, for the destination's size limit. */
export const fittingSize = (batch: SentBatch, part: Part): FittingSize => ({
  maxBytes: triedBytes(batch),
  takenBytes: bodyBytes(part),
});

/** The events after the first part of a batch that is being cut, in requests within the same limit. */
export function otherParts(batch: SentBatch): Part[] {
  const maxBytes = triedBytes(batch);
  const list = batch.fragments.split(FRAGMENT_SEPARATOR);
  const parts: Part[] = [];
  for (let from = fitting(list, 0, maxBytes); from < list.length;) {
    const to = fitting(list, from, maxBytes);
    parts.push(partOf(list, from, to));
    from = to;
  }
  return parts;
}

/** The position after the last event that fits into a body. One event always fits. */
function fitting(list: readonly string[], from: number, maxBytes: number): number {
  const bytesOf = (fragment: string): number => bodyBytes({ fragments: fragment, events: 1 });
  let to = from;
  let bytes = 0;
  for (const fragment of list.slice(from)) {
    bytes += bytesOf(fragment);
    if (to > from && bytes > maxBytes) break;
    to += 1;
  }
  return to;
}
