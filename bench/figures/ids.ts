import { engineKeys } from '@mailhook/delivery';
import type { Redis } from '@mailhook/platform/redis';
import { createMailboxCommands } from '../../packages/delivery/src/mailbox/commands/engine.ts';
import { producerIdDigest } from '../../packages/delivery/src/mailbox/keys.ts';
import { redisCpuSeconds, redisUsedBytes } from '../lab/cpu.ts';
import type { Lab } from '../lab/lab.ts';
import type { Bar, Figure, FigureContext, Run } from '../report/figure.ts';
import { valueOfRounds } from '../report/figure.ts';

const SIZES = [1000, 10_000, 200_000, 1_000_000, 10_000_000];
const QUICK_MAX = 200_000;
const PER_CALL = 500;
const KNOWN_MAX = 50_000;
const ALONE = 2000;
const CALLS_PER_JOB = 20;
const DAY_MS = 86_400_000;
/** Ids arrive for some windows of this length, as they would for days. */
const SHORT_WINDOW_MS = 15_000;

/** Claims ids and resolves with the number of duplicates. */
type Claim = (digests: readonly string[], windowMs: number) => Promise<number>;

/** What the ids of producers take in Redis, and what a claim costs, beside a key for each. */
export const ids: Figure = {
  name: 'ids',
  title: 'Ids of producers: memory and time of Redis',
  isOnDemand: true,
  async measure(context) {
    const sizes = SIZES.filter((size) => !context.isQuick || size <= QUICK_MAX);
    const runs: Run[] = [];
    for (let round = 1; round <= context.rounds; round += 1) {
      for (const size of sizes) {
        for (const [variant, open] of [
          ['product', openProduct],
          ['a key each', openStrings],
        ] as const) {
          context.progress(`ids: round ${round} of ${context.rounds}, ${variant}, ${size}`);
          runs.push(await measureSize(context, `${variant}, ${size.toLocaleString('en-GB')}`, round, size, open));
        }
      }
      context.progress(`ids: round ${round} of ${context.rounds}, windows`);
      runs.push(await measureWindows(context, round));
    }
    const largest = sizes.at(-1) ?? 0;
    const bars: Bar[] = [
      {
        what: `bytes per id of ${largest.toLocaleString('en-GB')}`,
        measured: valueOfRounds(runs, `product, ${largest.toLocaleString('en-GB')}`, 'bytesPerId'),
        unit: 'bytes',
        mustReach: 20,
        aimFor: 18,
        sense: 'max',
      },
    ];
    return { runs, bars, notes: [`${PER_CALL} ids per call. usNew: CPU of Redis per id, the last ${KNOWN_MAX}.`] };
  },
};

function openProduct(lab: Lab): Claim {
  const commands = createMailboxCommands(lab.redis, engineKeys(lab.queuePrefix, 0, 'campaign'));
  const jobKey = `{${lab.queuePrefix}:0}:campaign-chunks:job`;
  let part = 0;
  const renew = () => lab.redis.multi().del(jobKey).hset(jobKey, 'name', 'chunk', 'data', 'x'.repeat(200)).exec();
  return async (digests, windowMs) => {
    if (part % CALLS_PER_JOB === 0) await renew();
    part += 1;
    return (await commands.claimIds({ jobKey, chunk: 'job', part, digests }, windowMs)).size;
  };
}

const STRINGS = `local known = 0
for i = 1, #ARGV do
  local isNew = redis.call('SET', KEYS[1] .. ARGV[i], 'c0123456789abcdef01234567', 'NX', 'EX', 86400)
  if not isNew then known = known + 1 end
end
return known`;

const openStrings = (lab: Lab): Claim => {
  const prefix = `{${lab.queuePrefix}:0}:id:`;
  return async (digests) => Number(await lab.redis.eval(STRINGS, 1, prefix, ...digests));
};

const digestsFrom = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    producerIdDigest('acme', 'campaign', `open evt_${from + i}_0123456789abcdef`),
  );

/** Claims ids, and resolves with the CPU microseconds of Redis per id. @throws Error if the duplicates are wrong. */
async function claimAll(redis: Redis, claim: Claim, from: number, count: number, expected: 0 | 1, perCall = PER_CALL) {
  let seconds = 0;
  let duplicates = 0;
  const before = await redisCpuSeconds(redis);
  for (let at = 0; at < count; at += perCall) {
    duplicates += await claim(digestsFrom(from + at, Math.min(perCall, count - at)), DAY_MS);
  }
  seconds += (await redisCpuSeconds(redis)) - before;
  if (duplicates !== expected * count) throw new Error(`${duplicates} of ${count} ids were duplicates`);
  return (seconds * 1e6) / count;
}

async function measureSize(
  context: FigureContext,
  variant: string,
  round: number,
  size: number,
  open: (lab: Lab) => Claim,
): Promise<Run> {
  const lab = await context.openLab();
  try {
    const { redis } = lab;
    // A file would be rewritten meanwhile, whose buffers count as memory.
    await redis.config('SET', 'appendonly', 'no');
    const claim = open(lab);
    // The buffers of the connection count as memory too.
    for (const expected of [0, 1] as const) await claimAll(redis, claim, 2_000_000_000, PER_CALL, expected);
    const before = await redisUsedBytes(redis);
    const startedMs = performance.now();
    const last = Math.min(size, KNOWN_MAX);
    await claimAll(redis, claim, 0, size - last, 0);
    const usNew = await claimAll(redis, claim, size - last, last, 0);
    const seconds = (performance.now() - startedMs) / 1000;
    const bytesPerId = ((await redisUsedBytes(redis)) - before) / size;
    const usKnown = await claimAll(redis, claim, size - last, last, 1);
    const usAlone = await claimAll(redis, claim, 3_000_000_000, ALONE, 0, 1);
    const values = { bytesPerId, usNew, usKnown, usAlone };
    return { variant, round, events: size, seconds, perSecond: size / seconds, cpuPer1000: {}, values };
  } finally {
    await lab.close();
  }
}

/** Ids that arrive for several windows, and expire: with the search for expired ones, and with what still is kept. */
async function measureWindows(context: FigureContext, round: number): Promise<Run> {
  const lab = await context.openLab();
  try {
    await lab.redis.config('SET', 'appendonly', 'no');
    const claim = openProduct(lab);
    const startedMs = performance.now();
    let at = 0;
    let from = { ids: 0, seconds: 0 };
    for (let window = 1; window <= 3; window += 1) {
      from = { ids: at, seconds: await redisCpuSeconds(lab.redis) };
      while (performance.now() - startedMs < window * SHORT_WINDOW_MS) {
        await claim(digestsFrom(at, PER_CALL), SHORT_WINDOW_MS);
        at += PER_CALL;
      }
    }
    const usNew = (((await redisCpuSeconds(lab.redis)) - from.seconds) * 1e6) / (at - from.ids);
    const seconds = (performance.now() - startedMs) / 1000;
    const values = { usNew };
    return { variant: 'product, windows', round, events: at, seconds, perSecond: at / seconds, cpuPer1000: {}, values };
  } finally {
    await lab.close();
  }
}
