/** A fault that breaks one guarantee of docs/guarantees.md, and the tests that must notice it. */
export interface Mutant {
  /** The heading of the guarantee. */
  readonly guarantee: string;
  readonly what: string;
  readonly file: string;
  /** A text that the file has once, and what replaces it. */
  readonly from: string;
  readonly to: string;
  /** Paths of test files that `npm test` runs. */
  readonly tests: readonly string[];
  /** Tests that run if those do not notice it. */
  readonly moreTests?: readonly string[];
}

const DELIVERY = 'packages/delivery/src';
const LUA = `${DELIVERY}/mailbox/lua`;
const DOMAIN = 'packages/core/src/domain';
/** It also has these faults itself (`fences.ts`), and many more of the scripts. */
const MODEL = ['test/engine/mailbox-model/mailbox-model.test.ts'];
const SIMULATION = ['test/engine/simulation/simulation.test.ts'];
const LANES = ['test/engine/lanes.test.ts'];
const CLOSER = ['test/engine/event-log-closer.test.ts'];

export const MUTANTS: readonly Mutant[] = [
  {
    guarantee: 'Nothing that was accepted is lost',
    what: 'nobody puts back the destinations of a killed worker',
    file: `${LUA}/includes/owner.lua`,
    from: 'if text and find(text, prefix, OWNER_AT, true) == OWNER_AT then',
    to: 'if false then',
    tests: [`${DELIVERY}/mailbox/takeover.test.ts`],
  },
  {
    guarantee: 'Nothing that was accepted is lost',
    what: 'a worker forgets the batches of a lost reply',
    file: `${LUA}/engine/next.lua`,
    from: 'if not more.known and countInFlight() > tonumber(ARGV[place + 7]) then',
    to: 'if false then',
    tests: MODEL,
  },
  {
    guarantee: 'Nothing that was accepted is lost',
    what: 'a crash between two steps is not repaired',
    file: `${DELIVERY}/deliver/reconciler.ts`,
    from: "if (await commands.wake(destination)) this.#count('mail', 1);",
    to: '',
    tests: [`${DELIVERY}/deliver/reconciler.test.ts`],
  },
  {
    guarantee: 'Nothing that was accepted is lost',
    what: 'a worker does not search for destinations whose release Redis has forgotten',
    file: `${DELIVERY}/deliver/pool.ts`,
    from: 'suspectClaims(): void {\n    this.#lostClaims += 1;',
    to: 'suspectClaims(): void {',
    tests: SIMULATION,
  },
  {
    guarantee: 'Nothing that was accepted is lost',
    what: 'an append that waits is not started when the one before it fails',
    file: `${DELIVERY}/deliver/pool.ts`,
    from: '} finally {\n      this.#appends.startSome();',
    to: '} finally {',
    tests: SIMULATION,
  },
  {
    guarantee: 'A request for events is accepted whole or not at all',
    what: 'the valid events of a bad request are accepted',
    file: 'services/api/src/intake/parse-events.ts',
    from: 'if (errors.length > 0) throw',
    to: 'if (events.length === 0) throw',
    tests: ['services/api/src/intake/events-route.test.ts'],
  },
  {
    guarantee: 'A request for events is accepted whole or not at all',
    what: 'an event with the same id is delivered again',
    file: `${LUA}/engine/claim-ids.lua`,
    from: 'if bucket then',
    to: 'if true then',
    tests: ['test/engine/destinations.test.ts'],
  },
  {
    guarantee: 'A request for events is accepted whole or not at all',
    what: 'a worker that dies between the claim and the append makes its own events duplicates',
    file: `${LUA}/engine/claim-ids.lua`,
    from: 'if noted[2] then return noted[2] end',
    to: '',
    tests: [`${DELIVERY}/mailbox/claim-ids.test.ts`],
  },
  {
    guarantee: 'A request for events is accepted whole or not at all',
    what: 'a claim that breaks off makes its own events duplicates',
    file: `${LUA}/engine/claim-ids.lua`,
    from: "for i = 1, #claimed, 2 do call('HDEL', claimed[i], claimed[i + 1]) end",
    to: '',
    tests: [`${DELIVERY}/mailbox/claim-ids.test.ts`],
  },
  {
    guarantee: 'A repeated delivery is identical',
    what: 'a resend has another webhook-id',
    file: `${DELIVERY}/deliver/settle.ts`,
    from: "return batch.webhookId === '' ? webhookId : batch.webhookId;",
    to: 'return `msg_${id}`;',
    tests: ['test/engine/campaign.test.ts', 'test/engine/transactional.test.ts'],
  },
  {
    guarantee: 'Never more duplicates than in flight',
    what: 'an earlier owner may settle and freeze',
    file: `${LUA}/engine/next.lua`,
    from: "if s.owner ~= token then return reply('refused', '') end",
    to: '',
    tests: MODEL,
  },
  {
    guarantee: 'Never more duplicates than in flight',
    what: 'a result settles a later attempt of its batch too',
    file: `${LUA}/includes/settle.lua`,
    from: 'if not b or b.attempt ~= attempt then return end',
    to: 'if not b then return end',
    tests: [`${DELIVERY}/mailbox/next.test.ts`],
  },
  {
    guarantee: 'Never more duplicates than in flight',
    what: 'a worker sends without a lease',
    file: `${DELIVERY}/deliver/lease.ts`,
    from: 'return this.#options.runtime.now() < this.#validUntilMs - LEASE_MARGIN_MS;',
    to: 'return true;',
    tests: [`${DELIVERY}/deliver/lease.test.ts`],
  },
  {
    guarantee: 'One slow receiver slows no other',
    what: 'a receiver that hangs keeps its slot',
    file: `${DELIVERY}/deliver/admission.ts`,
    from: "this.#slots[isProven ? 'proven' : 'others'] += by * slots;",
    to: "if (by > 0) this.#slots[isProven ? 'proven' : 'others'] += by * slots;",
    tests: [`${DELIVERY}/deliver/admission.test.ts`, `${DELIVERY}/deliver/pool.test.ts`],
  },
  {
    guarantee: 'A reply counts only for its own request',
    what: 'accounts share connections',
    file: `${DELIVERY}/receiver-client/connections.ts`,
    from: '`${origin}\\n${account}`',
    to: '`${origin}\\n${account.length}`',
    tests: [`${DELIVERY}/receiver-client/connections.test.ts`, `${DELIVERY}/receiver-client/answers.test.ts`],
  },
  {
    guarantee: 'Every attempt ends by its deadline',
    what: 'an attempt may take longer',
    file: `${DELIVERY}/receiver-client/deadlines.ts`,
    from: 'deadline.dueMs = nowMs + durationMs;',
    to: 'deadline.dueMs = nowMs + 10 * durationMs;',
    tests: [`${DELIVERY}/receiver-client/late-replies.test.ts`],
  },
  {
    guarantee: 'No event waits for a batch to fill',
    what: 'the first batch of a lane waits until it is full',
    file: `${LUA}/includes/freeze.lua`,
    from: 'and (isSingle or busy[lane] == 0 or waiting >= batchMax or',
    to: 'and (waiting >= batchMax or',
    tests: LANES,
  },
  {
    guarantee: 'Unsubscribes overtake',
    what: 'other events leave first',
    file: `${LUA}/includes/freeze.lua`,
    from: "if s.lastLane == 'u' and s.parkedUntilMs == 0 then",
    to: 'if true then',
    tests: LANES,
  },
  {
    guarantee: 'New events and resends do not wait for each other',
    what: 'new events wait for a resend in flight',
    file: `${LUA}/includes/freeze.lua`,
    from: 'local forFresh, forDue = min(window - fresh, room)',
    to: 'local forFresh, forDue = min(window - fresh - due, room)',
    tests: LANES,
  },
  {
    guarantee: 'Only acknowledged events count as delivered',
    what: 'an item without `true` acknowledges',
    file: `${DOMAIN}/acknowledgement.ts`,
    from: 'item.status === true',
    to: 'item.status !== false',
    tests: [`${DOMAIN}/acknowledgement.test.ts`, 'test/engine/campaign.test.ts'],
  },
  {
    guarantee: 'One bad event does not take a batch with it',
    what: 'a refused batch is not searched',
    file: `${DOMAIN}/follow-up.ts`,
    from: 'const mayBePoison = policy.poisonSplit &&',
    to: 'const mayBePoison = false &&',
    tests: [`${DOMAIN}/halving-properties.test.ts`, 'test/engine/poison.test.ts'],
  },
  {
    guarantee: 'Limits hold per account',
    what: 'bytes are not limited',
    file: `${DELIVERY}/publish/overfull-accounts.ts`,
    from: 'return bytes > 0 && bytes >',
    to: 'return bytes < 0 && bytes >',
    tests: ['test/faults/account-budget.test.ts'],
  },
  {
    guarantee: 'Dead receivers are cheap',
    what: 'a receiver that recovers gets everything at once',
    file: `${LUA}/includes/freeze.lua`,
    from: '(s.parkedUntilMs > 0 and 1 or most)',
    to: 'most',
    tests: LANES,
  },
  {
    guarantee: 'Faults of Mailhook use up no attempt',
    what: 'a lack of files counts as a failure of the receiver',
    file: `${DELIVERY}/deliver/send.ts`,
    from: "if (exchange.type === 'local-fault') return { localFault: exchange };",
    to: "if (exchange.type === 'local-fault') return { ...exchange, type: 'timeout' } as never;",
    tests: ['test/engine/local-faults.test.ts'],
  },
  {
    guarantee: 'Mailhook does not reach inside',
    what: 'private addresses are allowed',
    file: 'packages/platform/src/egress/address-verdict.ts',
    from: "if (range === 'unicast' || (policy.allowPrivate &&",
    to: "if (range === 'unicast' || (policy !== undefined &&",
    tests: ['packages/platform/src/egress/address-verdict.test.ts'],
  },
  {
    guarantee: 'An upgrade keeps waiting events',
    what: 'a version starts on data of another format',
    file: `${DELIVERY}/host/format.ts`,
    from: 'if (stored === FORMAT) return;',
    to: 'if (stored > 0) return;',
    tests: [`${DELIVERY}/host/format.test.ts`],
  },
  {
    guarantee: 'Changes of settings hold immediately',
    what: 'requests hold more events than the destination allows',
    file: `${LUA}/includes/freeze.lua`,
    from: 'min(batchMax, s.maxEvents)',
    to: 'batchMax',
    tests: ['test/engine/shapes.test.ts', 'test/engine/changed-shape.test.ts'],
  },
  {
    guarantee: 'Changes of settings hold immediately',
    what: 'more requests are in flight than the destination allows',
    file: `${LUA}/includes/freeze.lua`,
    from: 'min(most, s.concurrency)',
    to: 'most',
    tests: ['test/engine/concurrency.test.ts'],
  },
  {
    guarantee: 'Changes of settings hold immediately',
    what: 'a worker keeps the address that it knows',
    file: `${LUA}/engine/next.lua`,
    from: 'if version ~= s.version or tonumber(ARGV[place + 4]) ~= s.revision then',
    to: 'if false then',
    tests: ['test/engine/changed-address.test.ts'],
  },
  {
    guarantee: 'The event log has each accepted event once',
    what: 'a chunk that a producer adds again is kept again',
    file: `${LUA}/includes/log.lua`,
    from: "if log.isRepeatable and not call('SET',",
    to: "if false and not call('SET',",
    tests: ['test/engine/event-log-buffer.test.ts'],
  },
  {
    guarantee: 'The event log has each accepted event once',
    what: 'an api removes chunks that Redis has in place of those that it has put into a segment',
    file: `${LUA}/log/log-trim.lua`,
    from: '0, chunks - 1)) ~= ARGV[6]',
    to: "0, chunks - 1)) == '#'",
    tests: CLOSER,
  },
  {
    guarantee: 'The event log has each accepted event once',
    what: 'a replay leaves out events when its api dies while it adds a page',
    file: 'services/api/src/event-log/feeder.ts',
    from: 'if (replay.planned === undefined) await replays.plan(',
    to: 'if (Date.now() < 0) await replays.plan(',
    tests: ['test/engine/replay-feeder.test.ts'],
  },
  {
    guarantee: 'The event log has each accepted event once',
    what: 'one account takes the room of all while the store is away',
    file: `${LUA}/includes/log.lua`,
    from: 'if share > logMax * 3 / 8 then return false end',
    to: '',
    tests: CLOSER,
  },
  {
    guarantee: 'The event log has each accepted event once',
    what: 'an outcome that finds no room leaves no gap',
    file: `${LUA}/includes/log.lua`,
    from: 'then return countGap(account, 0) end',
    to: 'then return end',
    tests: ['test/engine/event-log-spool.test.ts'],
  },
  {
    guarantee: 'The event log has each accepted event once',
    what: 'a replay whose events Redis has lost never ends',
    file: 'packages/delivery/src/manage/replay-progress.ts',
    from: 'return hasResendOf(redis, keys, destination, replayMark(id));',
    to: 'return true;',
    tests: ['test/engine/replay-end.test.ts'],
  },
];
