import path from 'node:path';

/** What a disk keeps of a file's bytes that were not synced when the power was lost. */
export const LOSS_VARIANTS = [
  /** Any number of the first bytes. */
  'prefix',
  /** The length of the file and some of its pages of 4 kB. The others are zeros. */
  'pages',
  /** The length of the file. The bytes are zeros. */
  'zeros',
  /** Nothing. */
  'synced',
] as const;

export interface PowerLossOptions {
  readonly variant: (typeof LOSS_VARIANTS)[number];
  /**
   * When a new, changed or removed name is durable: after a sync of its folder (`strict`), or after any sync, as on a
   * file system with an ordered journal. Unless the variant is `synced`, some of the later changes survive too.
   */
  readonly names: 'strict' | 'journal';
  /** In [0, 1). */
  readonly random: () => number;
}

/** What was lost. */
export interface PowerLoss {
  readonly bytesUnsynced: number;
  /** How many of the unsynced bytes survived. */
  readonly bytesKept: number;
  readonly namesLost: number;
  /** Whether a rewrite of the append-only file was in progress. */
  readonly isInRewrite: boolean;
}

/** A name that a file got (`to`), or its last name that was removed. */
interface NameChange {
  readonly file: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Its number among all changes. */
  readonly place: number;
}

const PAGE_BYTES = 4096;
const MANIFEST = 'appendonlydir/appendonly.aof.manifest';

/**
 * Builds the files of a folder as its disk may hold them after a loss of power.
 *
 * Each line of the record is one step. A file is named by its inode, a folder or name is relative to the folder:
 *
 * - `held <file> <length> <name>`: was there at the start, durable;
 * - `name <file> <name>`: is new, or was renamed; `gone <file>`: was removed; `cut <file> <length>`: was truncated;
 * - `begin <thread>`: a sync begins; `stalled <thread>`: it waits for the disk;
 * - `sync <thread> <file> <length>`: it has ended and covers the bytes that the file had at the beginning;
 * - `folder <thread> <name>`: the same for the names in a folder.
 *
 * A truncation counts as durable immediately. Folders survive, because Redis does not sync the folder of the one that
 * it makes.
 *
 * @param contentOf all bytes of a file that were written, by its inode.
 */
export function afterPowerLoss(
  record: string,
  contentOf: (file: string) => Buffer,
  options: PowerLossOptions,
): { readonly files: ReadonlyMap<string, Buffer>; readonly lost: PowerLoss } {
  const { variant, random } = options;
  const state = new RecordedState(options.names);
  for (const line of record.split('\n')) state.read(line);
  if (variant !== 'synced') state.keepSomeChanges(random);
  let [bytesUnsynced, bytesKept] = [0, 0];
  const files = new Map<string, Buffer>();
  for (const [name, file] of state.durable) {
    const written = contentOf(file);
    const synced = Math.min(state.syncedBytes.get(file) ?? 0, written.length);
    const { content, kept } = keepSome(written, synced, options);
    files.set(name, content);
    bytesUnsynced += written.length - synced;
    bytesKept += kept;
  }
  return { files, lost: { bytesUnsynced, bytesKept, namesLost: state.changes.length, isInRewrite: state.isInRewrite } };
}

class RecordedState {
  /** Files by their durable names. */
  readonly durable = new Map<string, string>();
  /** How many bytes of each file are durable. */
  readonly syncedBytes = new Map<string, number>();
  /** Changes of names that are not durable, the oldest first. */
  changes: readonly NameChange[] = [];
  isInRewrite = false;
  readonly #names: PowerLossOptions['names'];
  readonly #nameOf = new Map<string, string>();
  #changesSoFar = 0;
  /** The number of changes when each thread began its sync. */
  readonly #begun = new Map<string, number>();

  constructor(names: PowerLossOptions['names']) {
    this.#names = names;
  }

  read(line: string): void {
    const [what = '', id = '', second = '', third = ''] = line.split(' ');
    switch (what) {
      case 'held':
        this.#nameOf.set(id, third);
        this.durable.set(third, id);
        this.syncedBytes.set(id, Number(second));
        break;
      case 'name':
        // From the first file of the rewriting process to the manifest that names its result.
        if (second.startsWith('temp-rewriteaof-')) this.isInRewrite = true;
        if (second === MANIFEST) this.isInRewrite = false;
        this.#change(id, second);
        break;
      case 'gone':
        this.#change(id, undefined);
        break;
      case 'cut':
        this.syncedBytes.set(id, Math.min(this.syncedBytes.get(id) ?? 0, Number(second)));
        break;
      case 'begin':
        this.#begun.set(id, this.#changesSoFar);
        break;
      case 'sync':
        this.syncedBytes.set(second, Math.max(this.syncedBytes.get(second) ?? 0, Number(third)));
        if (this.#names === 'journal') this.#commit(id, () => true);
        break;
      case 'folder':
        this.#commit(id, ({ from, to }) => this.#names === 'journal' || isIn(second, from) || isIn(second, to));
        break;
    }
  }

  /** A disk may be ahead of what it has promised. */
  keepSomeChanges(random: () => number): void {
    const kept = Math.floor(random() * (this.changes.length + 1));
    for (const change of this.changes.slice(0, kept)) this.#apply(change);
    this.changes = this.changes.slice(kept);
  }

  #change(file: string, to: string | undefined): void {
    this.changes = [...this.changes, { file, from: this.#nameOf.get(file), to, place: this.#changesSoFar }];
    this.#changesSoFar += 1;
    if (to === undefined) this.#nameOf.delete(file);
    else this.#nameOf.set(file, to);
  }

  /** Makes changes durable that were made before the thread began its sync. */
  #commit(thread: string, isCovered: (change: NameChange) => boolean): void {
    const begun = this.#begun.get(thread) ?? 0;
    const covered = new Set(this.changes.filter((change) => change.place < begun && isCovered(change)));
    for (const change of covered) this.#apply(change);
    this.changes = this.changes.filter((change) => !covered.has(change));
  }

  #apply({ file, from, to }: NameChange): void {
    if (from !== undefined && this.durable.get(from) === file) this.durable.delete(from);
    if (to !== undefined) this.durable.set(to, file);
  }
}

const isIn = (folder: string, name: string | undefined): boolean =>
  name !== undefined && path.posix.dirname(name) === folder;

function keepSome(
  written: Buffer,
  synced: number,
  { variant, random }: PowerLossOptions,
): { readonly content: Buffer; readonly kept: number } {
  if (variant === 'synced') return { content: written.subarray(0, synced), kept: 0 };
  if (variant === 'prefix') {
    const kept = Math.floor(random() * (written.length - synced + 1));
    return { content: written.subarray(0, synced + kept), kept };
  }
  const content = Buffer.from(written);
  let kept = written.length - synced;
  for (let page = synced - (synced % PAGE_BYTES); page < written.length; page += PAGE_BYTES) {
    if (variant === 'pages' && random() < 0.5) continue;
    const [from, to] = [Math.max(page, synced), Math.min(page + PAGE_BYTES, written.length)];
    content.fill(0, from, to);
    kept -= to - from;
  }
  return { content, kept };
}
