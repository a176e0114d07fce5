/** `f` fresh, `u` unsubscribes, `r` events of replays. */
export type NewLane = 'f' | 'u' | 'r';
/** `x` is a resend. */
export type Lane = NewLane | 'x';

/**
 * The packed values of mailboxes and destinations, field by field, in their order. `lua-fields.ts` makes Lua's formats
 * and assignments of these tables, `fields.ts` reads by them, and `npx mailhook docs` describes them in
 * `lua/README.md`. So a new field is a row here, a command that writes it, and code that uses it.
 */

/**
 * The types of fields: the format of Lua's `struct`, the bytes (of a text, those of its length), and the value of a
 * field that is not set. Bits that follow each other share a byte, the first is its lowest bit. Only readers see a
 * `part` (a bit of whether a part follows) and a `length` (the number of parts that follow).
 */
export const TYPES = {
  B: { format: 'B', bytes: 1, unset: 0, stored: '1 byte' },
  I2: { format: 'I2', bytes: 2, unset: 0, stored: '2 bytes' },
  I4: { format: 'I4', bytes: 4, unset: 0, stored: '4 bytes' },
  I6: { format: 'I6', bytes: 6, unset: 0, stored: '6 bytes' },
  flag: { format: 'B', bytes: 1, unset: false, stored: '1 byte, 0 or 1' },
  bit: { format: 'B', bytes: 1, unset: false, stored: 'a bit' },
  part: { format: 'B', bytes: 1, unset: false, stored: 'a bit' },
  length: { format: 'B', bytes: 1, unset: 0, stored: '1 byte' },
  lane: { format: 'c1', bytes: 1, unset: 'f', stored: '1 character' },
  'new lane': { format: 'B', bytes: 1, unset: 'f', stored: '1 byte, 1 for u' },
  text: { format: 'Bc0', bytes: 1, unset: '', stored: 'text, up to 255 bytes' },
  'long text': { format: 'I2c0', bytes: 2, unset: '', stored: 'text, up to 65,535 bytes' },
  rest: { format: '', bytes: 0, unset: '', stored: 'text, the rest' },
} as const;

export type FieldType = keyof typeof TYPES;

/**
 * - shared: the record has the field too, and a mailbox without a state takes it from there
 * - given: shared, and the api gives it with each new record
 * - beside: has no meaning without another field of its part, so it alone does not keep the part
 */
type FieldNote = 'shared' | 'given' | 'beside';

export type FieldRow = readonly [name: string, type: FieldType, meaning: string, note?: FieldNote];

/** The beginning of a state. Times are Unix milliseconds by the time of the commands, 0 for none. */
export const HEAD = [
  ['status', 'B', '`IDLE`, `READY`, `OWNED` or `WAITING`'],
  ['record', 'B', 'what the record says: `UNKNOWN`, `ACTIVE`, `INACTIVE`, `GONE` or `DELETED`', 'shared'],
  ['lastLane', 'new lane', 'the lane that was served last'],
  ['wasResendLast', 'flag', 'whether a resend was served last'],
  ['isProven', 'flag', 'whether the last attempt succeeded', 'shared'],
  ['hasRare', 'part', 'whether the rare part follows'],
  ['isListed', 'bit', 'whether the mailbox is in `K backlog`'],
  ['hasHead', 'bit', 'whether the first entry of lane f is in `K heads`'],
  ['fresh', 'I4', 'events of lane f that are not frozen'],
  ['unsubscribes', 'I4', 'events of lane u that are not frozen'],
  ['version', 'I6', "the record's version in the store, a time", 'given'],
  ['revision', 'I4', "the record's revision, which grows with every change", 'shared'],
  ['shape', 'B', 'how requests carry events of version 2, as a place in `SHAPES`', 'given'],
  ['maxEvents', 'I2', 'most events per request, 1 for the shape single', 'given'],
  ['concurrency', 'B', 'most requests in flight', 'given'],
  ['holdsEventsSinceMs', 'I6', 'since when the mailbox holds events'],
  ['owner', 'text', "the owner's token, `<worker>_<claim>`; empty without one"],
  ['batches', 'length', 'how many batches of the window follow'],
] as const satisfies readonly FieldRow[];

/** A batch of the window: frozen, and not trimmed yet. */
export const BATCH = [
  ['lane', 'lane', 'f, u or r, or x for a resend'],
  ['isSettled', 'flag', 'whether its attempt is settled'],
  ['entries', 'I2', 'entries of its lane, after those of the batches before it; none for a resend'],
  ['events', 'I2', 'its events'],
  ['attempt', 'I2', 'how often it was frozen for a send, this time included'],
  ['bytes', 'I4', 'its bytes'],
  ['shape', 'B', 'how its request carries its events, as a place in `SHAPES`'],
  ['id', 'text', 'names the batch, or the resend'],
] as const satisfies readonly FieldRow[];

/** The part of a state that most mailboxes do not need. */
export const RARE = [
  ['dueResends', 'I4', 'resends that are due'],
  ['resends', 'I4', 'all resends'],
  ['failures', 'I2', 'failures in a row'],
  ['parkMs', 'I4', 'the length of the parking', 'beside'],
  ['parkedUntilMs', 'I6', 'the end of the parking'],
  ['pausedUntilMs', 'I6', 'the end of the pause'],
  ['pausedBy', 'B', '`BY_CUSTOMER` or `BY_OPERATOR`', 'beside'],
  ['giveUpUntilMs', 'I6', 'events that were accepted until then are given up'],
  ['size', 'text', 'the size limit after a 413 (`sizeLimitText`)'],
  ['sendNow', 'text', 'the position of "send now": `start`, or a cursor of `SSCAN`'],
  ['error', 'long text', 'the last error, while `failures` is not 0', 'beside'],
  ['replayed', 'I4', 'events of lane r that are not frozen'],
  ['sinceReplay', 'B', 'batches that were frozen since the last one of lane r, at most 255', 'beside'],
] as const satisfies readonly FieldRow[];

type SharedRow = Extract<(typeof HEAD)[number], readonly [string, FieldType, string, FieldNote]>;
type GivenRow = Extract<SharedRow, readonly [string, FieldType, string, 'given']>;

/** What every append needs of a record, and the state has too. */
export const RECORD = HEAD.filter((row): row is SharedRow => row.length > 3);

/** The part of `RECORD` that the api gives. */
export const GIVEN = RECORD.filter((row): row is GivenRow => row[3] === 'given');

/** What only a request needs of a record. A deleted destination keeps only its account. */
export const TARGET = [
  ['account', 'long text', 'the account'],
  ['address', 'long text', 'the address'],
  ['reason', 'long text', 'why the destination is inactive, empty while it is active'],
  ['credentials', 'rest', 'signing secrets and custom headers, JSON (`formatCredentials`)'],
] as const satisfies readonly FieldRow[];

/** All that the api gives. */
export const NEW_RECORD = [...GIVEN, ...TARGET];

/** What an account has in a shard. */
export const SUMS = [
  ['events', 'I4', 'appended and neither delivered nor given up, resends included'],
  ['bytes', 'I6', 'of mailboxes, resends and dead letters'],
  ['queuedEvents', 'I4', 'in chunk jobs'],
  ['queuedBytes', 'I6', 'in chunk jobs'],
] as const satisfies readonly FieldRow[];

/** What `P ids` says of the producers' ids that are kept. */
export const ID_TABLE = [
  ['period', 'B', 'number of the current period, 0 to 127; ids have the number of theirs'],
  ['periodMs', 'I6', 'length of a period, a third of `EVENT_ID_WINDOW`'],
  ['periodEndsAtMs', 'I6', 'when the period ends, unless buckets remain to be searched'],
  ['swept', 'I4', 'buckets that were searched for expired ids in this period'],
  ['ids', 'I6', 'ids in all buckets'],
  ['buckets', 'I4', 'hashes that the ids are spread over'],
] as const satisfies readonly FieldRow[];

/** What became of the events of a batch at a destination, for the event log. */
export const OUTCOME = [
  ['result', 'text', '`delivered`, `dead`, `discarded`, or `waiting` after a redrive'],
  ['attempt', 'I2', 'the number of the attempt, 0 if they were never sent'],
  ['atMs', 'I6', 'when'],
  ['account', 'long text', 'the account'],
  ['destination', 'long text', 'the destination'],
  ['sent', 'rest', '`webhook-id`, replay, and the keys of the events (`outcomeText`)'],
] as const satisfies readonly FieldRow[];

/** What the blocks of an account's delivered attempts take in a shard, and those of all accounts. */
export const BLOCKS = [
  ['bytes', 'I6', 'of the blocks'],
  [
    'missingUntilMs',
    'I6',
    'attempts up to this time are missing, because a limit of the account or of all was reached',
  ],
  ['first', 'I4', 'number of the oldest block'],
  ['following', 'I4', 'number of the next block'],
] as const satisfies readonly FieldRow[];

/** The tables of stored values, by the names that Lua and `lua/README.md` give them. */
export const TABLES: Readonly<Record<string, readonly FieldRow[]>> = {
  HEAD,
  BATCH,
  RARE,
  RECORD,
  TARGET,
  SUMS,
  ID_TABLE,
  OUTCOME,
  BLOCKS,
};

type ValueOf<Type extends FieldType> = Type extends 'flag' | 'bit'
  ? boolean
  : Type extends 'lane'
    ? Lane
    : Type extends 'new lane'
      ? 'f' | 'u'
      : Type extends 'text' | 'long text' | 'rest'
        ? string
        : number;

/** The fields of a table, with the types that readers give them. */
export type Values<Rows extends readonly FieldRow[]> = {
  readonly [Row in Rows[number] as Row[1] extends 'part' | 'length' ? never : Row[0]]: ValueOf<Row[1]>;
};

export const isBit = (type: FieldType | undefined): boolean => type === 'bit' || type === 'part';

/** The rows of a table that begin a byte of their own, and the bits that share it. */
export function groupBits(rows: readonly FieldRow[]): readonly (readonly [FieldRow, ...FieldRow[]])[] {
  const groups: [FieldRow, ...FieldRow[]][] = [];
  for (const [i, row] of rows.entries()) {
    const last = groups.at(-1);
    if (last !== undefined && isBit(row[1]) && isBit(rows[i - 1]?.[1])) last.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** The bytes of a table whose texts are empty. */
export const bytesWithoutTexts = (rows: readonly FieldRow[]): number =>
  groupBits(rows).reduce((sum, [[, type]]) => sum + TYPES[type].bytes, 0);

/** Where a field begins that no text precedes, from 0. */
export const positionOf = (rows: readonly FieldRow[], name: string): number =>
  bytesWithoutTexts(
    rows.slice(
      0,
      rows.findIndex((row) => row[0] === name),
    ),
  );

/** Places in a packed state for Lua, which counts from 1. The length of the owner's token precedes it. */
export const FRESH_AT = positionOf(HEAD, 'fresh') + 1;
export const UNSUBSCRIBES_AT = positionOf(HEAD, 'unsubscribes') + 1;
export const HOLDS_EVENTS_SINCE_AT = positionOf(HEAD, 'holdsEventsSinceMs') + 1;
export const OWNER_AT = positionOf(HEAD, 'owner') + 2;
