import { randomBytes } from 'node:crypto';

/** What the name of a segment's object says. */
export interface SegmentName {
  readonly shard: string;
  /** The times at which its content was closed first. A merged segment has the span of its inputs. */
  readonly closedFromMs: number;
  readonly closedToMs: number;
  /** 0 for a closed segment; a merged one has one more than its inputs. */
  readonly generation: number;
  /** When the object was made. Erasures before it are done in it. */
  readonly madeAtMs: number;
}

export const SEGMENTS = 'segments/';
const NAME =
  /^segments\/(?<shard>[A-Za-z0-9-]+)\/(?<from>\d+)-(?<to>\d+)-(?<generation>\d+)-(?<made>\d+)-[0-9a-f]{16}$/;

/** A new name. Two processes that make the same segment at the same time make two objects. */
export const newSegmentName = ({ shard, closedFromMs, closedToMs, generation, madeAtMs }: SegmentName): string =>
  `${SEGMENTS}${shard}/${closedFromMs}-${closedToMs}-${generation}-${madeAtMs}-${randomBytes(8).toString('hex')}`;

/** Undefined for a name that no segment has. */
export function parseSegmentName(name: string): SegmentName | undefined {
  const { shard, from, to, generation, made } = NAME.exec(name)?.groups ?? {};
  if (shard === undefined) return undefined;
  return {
    shard,
    closedFromMs: Number(from),
    closedToMs: Number(to),
    generation: Number(generation),
    madeAtMs: Number(made),
  };
}
