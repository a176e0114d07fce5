import type { ReplyAction } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, eventually, startReceiver, uniqueName } from '@mailhook/testing';
import type { ReceivedRequest } from '@mailhook/testing';
import { engineKeys } from '@mailhook/delivery';
import fc from 'fast-check';
import { readAccountSums } from '../../packages/delivery/src/mailbox/accounts.ts';
import { holdsEvents } from '../../packages/delivery/src/mailbox/state.ts';
import type { Rig } from '../engine/rig.ts';
import { startRig } from '../engine/rig.ts';
import { runSeed } from './rig/random.ts';

const SCHEDULE_MS = [20, 40];
const ATTEMPTS_MAX = SCHEDULE_MS.length + 1;
/** Long enough that a busy machine misses it only for the replies that are late on purpose. */
const DEADLINE_MS = 3000;

/** A receiver's reaction to a request. Only `acks` acknowledges events, namely those with their bit set. */
type Move =
  | { readonly type: 'acks'; readonly bits: number }
  | { readonly type: 'garbage'; readonly body: string }
  | { readonly type: 'status'; readonly status: number; readonly retryAfter?: string }
  | { readonly type: 'late' | 'reset' | 'reset in the body' | 'drip' };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('acks' as const), bits: fc.integer({ min: 0, max: 2 ** 16 }) }),
  },
  { weight: 3, arbitrary: fc.constant({ type: 'acks' as const, bits: 2 ** 30 - 1 }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('garbage' as const),
      body: fc.constantFrom(
        '',
        'ok',
        '{}',
        '[',
        'null',
        '[1, null, "x", {"hash": 5, "status": true}]',
        '[{"hash":"x","status":"true"}]',
        '[]',
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        type: fc.constant('status' as const),
        // 410 is left out because it ends the destination, and 413 because it cuts the batch at once.
        status: fc.constantFrom(201, 204, 302, 400, 404, 422, 429, 500, 503),
        retryAfter: fc.constantFrom('0', '1', 'soon', 'Wed, 21 Oct 2015 07:28:00 GMT'),
      },
      { requiredKeys: ['type', 'status'] },
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom({ type: 'reset' as const }, { type: 'reset in the body' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'late' as const }) },
);

interface Try {
  readonly attempt: number;
  readonly webhookId: string;
  readonly confirmed: boolean;
  /** Whether the connection was reset, so that perhaps no byte of the reply arrived. */
  readonly isReset: boolean;
}

/** Each event's attempts, in order, as the receiver saw and answered them. */
type Histories = Map<string, Try[]>;

interface Batch {
  readonly email: string;
  readonly hash: string;
  readonly attempt: number;
}

const isAcked = (bits: number, i: number): boolean => ((bits >> (i % 30)) & 1) === 1;

/** Plays the moves over and over, and records each event's attempts. */
function player(moves: readonly Move[], histories: Histories): (request: ReceivedRequest) => ReplyAction {
  let turn = 0;
  return (request) => {
    const events = request.json as Batch[];
    const chosen = moves[turn++ % moves.length] as Move;
    events.forEach(({ email, attempt }, i) => {
      const confirmed = chosen.type === 'acks' && isAcked(chosen.bits, i);
      const tries = histories.get(email) ?? [];
      const webhookId = String(request.headers['webhook-id']);
      const isReset = chosen.type === 'reset' || chosen.type === 'reset in the body';
      // A request whose kept connection breaks before the first byte of a reply leaves once more, in the same attempt.
      const last = tries.at(-1);
      const isRepeat = last?.isReset === true && last.attempt === attempt && last.webhookId === webhookId;
      if (isRepeat) tries.pop();
      tries.push({ attempt, webhookId, confirmed, isReset: isReset && !isRepeat });
      histories.set(email, tries);
    });
    return actionOf(chosen, events);
  };
}

function actionOf(chosen: Move, events: readonly Batch[]): ReplyAction {
  switch (chosen.type) {
    case 'acks':
      return acknowledge(events, (_event, i) => isAcked(chosen.bits, i));
    case 'garbage':
      return { body: chosen.body };
    case 'status':
      return {
        status: chosen.status,
        ...(chosen.retryAfter === undefined ? {} : { headers: { 'retry-after': chosen.retryAfter } }),
      };
    case 'reset':
      return { reset: 'reply' };
    case 'reset in the body':
      return { reset: 'body' };
    case 'late':
      return { ...acknowledge(events), delayMs: DEADLINE_MS + 500 };
    case 'drip':
      return { ...acknowledge(events), dripMs: 500 };
  }
}

/** In the model, attempts count from 1 without a gap, until the event is acknowledged or its attempts are used up. */
function checkHistory(email: string, tries: readonly Try[]): 'confirmed' | 'dead' {
  const numbers = tries.map(({ attempt }) => attempt);
  expect({ email, numbers }).toEqual({ email, numbers: numbers.map((_, i) => i + 1) });
  const confirmedAt = tries.findIndex(({ confirmed }) => confirmed);
  if (confirmedAt >= 0) {
    // An acknowledged event is never sent again.
    expect({ email, tries: tries.length }).toEqual({ email, tries: confirmedAt + 1 });
    return 'confirmed';
  }
  expect({ email, tries: tries.length }).toEqual({ email, tries: ATTEMPTS_MAX });
  return 'dead';
}

async function deadLetters(rig: Rig, account: string) {
  return (await rig.deadLetters.list({ account }, { limit: 1000 })).items;
}

describe('random replies', () => {
  const seed = runSeed();
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({
      kind: 'campaign',
      scheduleMs: SCHEDULE_MS,
      timeoutMs: DEADLINE_MS,
      poisonSplit: false,
      limits: { batchMax: 7 },
    });
    await rig.startWorker();
  });
  afterAll(() => rig.close());

  test('each event ends either acknowledged or dead, with the attempts of the model', async () => {
    const play = async (count: number, moves: readonly Move[]): Promise<void> => {
      const histories: Histories = new Map();
      const receiver = await startReceiver({ reply: player(moves, histories) });
      const account = uniqueName('account');
      const destination = await rig.destination(account, receiver.url);
      const emails = Array.from({ length: count }, (_, i) => `r${i}@example.com`);
      await rig.publish(
        emails.map((email) => aCampaignEvent({ email })),
        destination,
      );
      await isSettled(rig, destination.id, account);
      const ends = emails.map((email) => checkHistory(email, histories.get(email) ?? []));
      const letters = await deadLetters(rig, account);
      expect(letters.reduce((sum, { events }) => sum + events, 0)).toBe(ends.filter((end) => end === 'dead').length);
      expect(letters.filter(({ attempts }) => attempts !== ATTEMPTS_MAX)).toEqual([]);
      expect([...histories.keys()].sort()).toEqual([...emails].sort());
      await receiver.close();
    };
    const worlds = fc.sample(
      fc.tuple(fc.integer({ min: 1, max: 30 }), fc.array(move, { minLength: 1, maxLength: 6 })),
      { seed, numRuns: 40 },
    );
    // The worlds run at the same time: a late reply in one must not make the others wait.
    const outcomes = await Promise.allSettled(worlds.map(([count, moves]) => play(count, moves)));
    const failures = outcomes.flatMap((outcome, i) =>
      outcome.status === 'rejected' ? [`${JSON.stringify(worlds[i])}: ${String(outcome.reason)}`] : [],
    );
    expect(failures).toEqual([]);
  }, 180_000);
});

/** Resolves when no events of the destination wait, no worker owns it, and no resends are left. */
async function isSettled(rig: Rig, destination: string, account: string): Promise<void> {
  await eventually(
    async () => {
      // Published events may still be on their way into the mailbox.
      const queue = `{${rig.queuePrefix}:0}:campaign-chunks`;
      // In the order in which jobs move, so that none is missed.
      const chunks =
        (await rig.redis.llen(`${queue}:wait`)) +
        (await rig.redis.zcard(`${queue}:prioritized`)) +
        (await rig.redis.llen(`${queue}:active`));
      const { state } = await rig.mailbox(destination);
      const lists = await rig.redis.exists(`${rig.base}f:${destination}`, `${rig.base}u:${destination}`);
      const resends = await rig.redis.scard(`${rig.base}xs:${destination}`);
      const keys = engineKeys(rig.queuePrefix, 0, 'campaign');
      const { events: waiting } = await readAccountSums(rig.redis, keys, account);
      return state.owner === '' && !holdsEvents(state) && chunks + lists + resends + waiting === 0;
    },
    { withinMs: 150_000, what: `the end of all work for ${destination}` },
  );
}
