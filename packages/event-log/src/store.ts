/** A part of an object: from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
  /** By the clock of the store. */
  readonly storedAtMs: number;
}

/**
 * Where the log's objects lie. Names are of letters, digits, `-` and `.`, in folders separated by `/`. An object is
 * there as a whole or not at all, survives a crash once `put` has returned, and never changes.
 */
export interface LogStore {
  /** Stores the chunks as one object. An error leaves no object. */
  put(name: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * The bytes of the range, which must lie within the object, or the whole object.
   *
   * @throws MissingObjectError
   */
  get(name: string, range?: ByteRange): Promise<Buffer>;
  /** All objects whose names start with the prefix, in the order of their names. A put that has returned is seen. */
  list(prefix: string): Promise<readonly StoredObject[]>;
  /** Deletes the object. None with this name is no error. */
  delete(name: string): Promise<void>;
  /**
   * Whether the store keeps bytes of deleted objects: earlier versions, or locked ones. Undefined if it does not say.
   * Absent: it keeps none.
   */
  readonly keepsDeleted?: () => Promise<boolean | undefined>;
  /** Ends connections. */
  close(): Promise<void>;
}

export class MissingObjectError extends Error {
  override readonly name = 'MissingObjectError';

  constructor(object: string) {
    super(`the event log has no object ${object}`);
  }
}
