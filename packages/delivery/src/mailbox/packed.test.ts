import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { BY_OPERATOR, FORMAT, GONE, HEAD_BYTES_MAX, OWNED } from './constants.ts';
import { engineKeys } from './keys.ts';
import type { EngineKeys } from './keys.ts';
import { RARE } from './layout.ts';
import { libraryText, readLua } from './lua-library.ts';
import { readMailbox, readTarget } from './records.ts';
import { readState } from './state.ts';
import type { MailboxState } from './state.ts';
import { readSums } from './sums.ts';

/** A command that gives every field of a mailbox and of its destination's record a value, and counts. */
const WRITE = `--- @include run
--- @include lanes
--- @include records
open(ARGV[1])
local given = cjson.decode(ARGV[2])
for field, value in pairs(given.state) do s[field] = value end
if given.state.head then setHead(given.state.head) end
if given.record then writeRecord(s.record, given.record) end
count(ARGV[1], given.sums[1], given.sums[2])
countQueued(ARGV[1], given.sums[3], given.sums[4])
run(save)
`;

/** Below the 65,535 bytes that a length can say. */
const LONG = 'ä'.repeat(30_000);
const TOKEN = 'w0123456789abcdef01234567-0_1a2b';
const HOUR = 3_600_000;
const AT = 1_795_627_000_000;

/** The most batches, all with different values. */
const BATCHES = Array.from({ length: 32 }, (_, i) => ({
  lane: (['f', 'u', 'x'] as const)[i % 3] ?? 'f',
  isSettled: i % 2 === 1,
  entries: 1000 + i,
  events: 65_535 - i,
  attempt: i === 0 ? 65_535 : i,
  bytes: 4_294_967_295 - i,
  shape: 255 - i,
  id: `${TOKEN}_zz_${i}`,
}));

const HEAD = `mkr0t5jc0001~00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01{"email":"jörg@例え.jp 🙂"}`;

/** No value is the default. */
const STATE: MailboxState = {
  status: OWNED,
  record: GONE,
  lastLane: 'u',
  wasResendLast: true,
  isProven: true,
  isListed: true,
  hasHead: true,
  fresh: 4_294_967_295,
  unsubscribes: 4_294_967_294,
  version: 281_474_976_710_653,
  revision: 1,
  shape: 255,
  maxEvents: 65_534,
  concurrency: 254,
  holdsEventsSinceMs: AT + 1,
  owner: TOKEN,
  window: BATCHES,
  dueResends: 4_294_967_292,
  resends: 4_294_967_291,
  failures: 65_535,
  parkMs: 24 * HOUR,
  parkedUntilMs: AT + 2,
  pausedUntilMs: AT + 3,
  pausedBy: BY_OPERATOR,
  giveUpUntilMs: AT + 4,
  size: '1048575 1795627000005',
  sendNow: '18446744073709551615',
  error: `the receiver answered “Größe” ${LONG}`,
  replayed: 4_294_967_290,
  sinceReplay: 255,
};

/** In Lua. The record gives the revision, and its writer counts it. */
const inLua = (state: Omit<MailboxState, 'revision'>) => ({ ...state, head: HEAD, batches: state.window.length });
const { revision, ...FIELDS } = STATE;

const RECORD = {
  account: 'konto-ä-例',
  address: `http://127.0.0.1/größe?${LONG}`,
  reason: 'Gone: weggezogen 🙂',
  credentials: `{"secrets":["whsec_a"],"headers":{"x":"${LONG}"}}`,
};
const SUMS = { events: 4_294_967_290, bytes: 281_474_976_710_655, queuedEvents: 4_294_967_289, queuedBytes: 2 ** 45 };

const ascending = (a: string, b: string): number => (a < b ? -1 : 1);

describe('packed values that Lua writes', () => {
  let redis: Redis;
  let keys: EngineKeys;
  const name = uniqueName('packed').replaceAll('-', '_');
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
    const read = (file: string): string => (file === 'write' ? WRITE : readLua(file));
    await redis.function('LOAD', libraryText(name, `_${name}`, ['write'], read));
  });
  afterAll(async () => {
    await redis.function('DELETE', name);
    await closeRedis(redis);
  });
  beforeEach(() => (keys = engineKeys(uniqueName('packed'), 0, 'campaign')));

  const write = (state: object, record: typeof RECORD | undefined, sums: typeof SUMS): Promise<unknown> => {
    const given = {
      state,
      record,
      sums: [sums.events, sums.bytes, sums.queuedEvents, sums.queuedBytes],
    };
    return redis.fcall(`write_${name}`, 2, keys.base, keys.shared, 'd', JSON.stringify(given));
  };
  const bytesOf = (key: string) => redis.hgetBuffer(key, 'd');
  const full = inLua(FIELDS);
  const nothing = { events: 0, bytes: 0, queuedEvents: 0, queuedBytes: 0 };

  it('reach TypeScript with every field', async () => {
    expect(Buffer.byteLength(HEAD)).toBeLessThan(HEAD_BYTES_MAX);
    await write(full, RECORD, SUMS);
    const { state, head, record } = await readMailbox(redis, keys, 'd');
    expect([state, head]).toEqual([STATE, HEAD]);
    const { version, shape, maxEvents, concurrency } = STATE;
    const shared = { record: GONE, isProven: true, version, revision, shape, maxEvents, concurrency };
    expect(record).toEqual({ ...shared, ...RECORD });
    expect(readSums(await bytesOf(keys.sums))).toEqual(SUMS);
  });

  it('reach Lua with every field, which writes them again as they were', async () => {
    await write(full, RECORD, SUMS);
    const before = await Promise.all([keys.live, keys.records, keys.targets, keys.heads, keys.sums].map(bytesOf));
    await write({}, undefined, nothing);
    expect(await Promise.all([keys.live, keys.records, keys.targets, keys.heads, keys.sums].map(bytesOf))).toEqual(
      before,
    );
  });

  it('have no rare part while nothing of it is set', async () => {
    const names = new Set<string>(RARE.map(([name]) => name));
    const fieldsOf = (isRare: boolean) =>
      Object.fromEntries(Object.entries(FIELDS).filter(([name]) => names.has(name) === isRare));
    await write({ ...fieldsOf(false), head: HEAD, batches: 1 }, RECORD, SUMS);
    expect(readState((await bytesOf(keys.live)) as Buffer)).toMatchObject({
      hasHead: true,
      window: [{ id: BATCHES[0]?.id }],
      resends: 0,
      error: '',
    });
    await write(fieldsOf(true), undefined, nothing);
    expect(readState((await bytesOf(keys.live)) as Buffer)).toEqual({ ...STATE, window: STATE.window.slice(0, 1) });
  });

  /** A change of these texts needs a new number of the format, see "A change of a stored format" in CONTRIBUTING.md. */
  it('look as their format says', async () => {
    const short = { ...full, batches: 3, error: 'größer', head: 'mkr0t5jc0001ä' };
    await write(short, { account: 'a', address: 'http://ä', reason: 'Gone', credentials: '{"secrets":[]}' }, SUMS);
    const [state, record, target, sums] = await Promise.all(
      [keys.live, keys.records, keys.targets, keys.sums].map(bytesOf),
    );
    expect({
      format: FORMAT,
      state: state?.toString('hex').match(/.{1,96}/g),
      record: record?.toString('hex'),
      target: target?.toString('hex'),
      sums: sums?.toString('hex'),
    }).toEqual({
      format: 2,
      state: [
        '020301010107fffffffffffffffefffffffffffd00000001fffffefe01a213b5a0c12077303132333435363738396162',
        '6364656630313233343536372d305f3161326203660003e8ffffffffffffffffff257730313233343536373839616263',
        '64656630313233343536372d305f316132625f7a7a5f30750103e9fffe0001fffffffefe257730313233343536373839',
        '61626364656630313233343536372d305f316132625f7a7a5f31780003eafffd0002fffffffdfd257730313233343536',
        '37383961626364656630313233343536372d305f316132625f7a7a5f32fffffffcfffffffbffff05265c0001a213b5a0',
        'c201a213b5a0c30201a213b5a0c415313034383537352031373935363237303030303035143138343436373434303733',
        '37303935353136313500086772c3b6c39f6572fffffffaff',
      ],
      record: '0301fffffffffffd00000001fffffefe',
      target: '0001610009687474703a2f2fc3a40004476f6e657b2273656372657473223a5b5d7d',
      sums: 'fffffffafffffffffffffffffff9200000000000',
    });
    expect(Object.keys(readState(state as Buffer)).sort(ascending)).toEqual(Object.keys(STATE).sort(ascending));
    expect(readTarget(target as Buffer).address).toBe('http://ä');
  });
});
