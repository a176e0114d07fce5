import type { Logger } from '../logger/index.ts';
import { afterMs, onEveryMaster } from './connect.ts';
import type { Redis } from './connect.ts';
import { parseInfo } from './settings.ts';

/**
 * Has Redis rewrite its append-only file once after each of its starts: now, and whenever this client has connected
 * again. The file may end inside a function's MULTI, and Redis loads it by cutting inside the block. Until a rewrite,
 * the next load runs half of the function (docs/decisions/0090). Asks again, with growing pauses, until a rewrite has
 * succeeded. Logs one warning per connection if Redis refuses. Resolves after the first question, and never rejects.
 */
export async function rewriteAfterEachStart(redis: Redis, logger: Logger): Promise<void> {
  let newest: Question | undefined;
  const repeat = async (isRewritten: Question): Promise<void> => {
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
      await afterMs(pauseMs);
      if (isRewritten !== newest || redis.status === 'end' || (await isRewritten())) return;
    }
  };
  const ask = async (): Promise<void> => {
    const isRewritten = createQuestion(redis, logger);
    newest = isRewritten;
    if (!(await isRewritten())) void repeat(isRewritten);
  };
  // A cluster's client stays ready while one of its nodes comes back.
  for (const event of ['ready', '+node']) redis.on(event, () => void ask());
  await ask();
}

const PAUSE_MS = { first: 1000, longest: 60_000 };

/** Whether every master has rewritten its file since its start. Asks those for a rewrite that have not. */
type Question = () => Promise<boolean>;

function createQuestion(redis: Redis, logger: Logger): Question {
  /** The rewrites of each master at the last question. */
  const seen = new Map<Redis, string>();
  let hasWarned = false;
  const begin = async (node: Redis): Promise<void> => {
    try {
      await node.bgrewriteaof();
      logger.info('Redis has started, and rewrites its append-only file');
    } catch (error) {
      const { message } = error as Error;
      // Another process was faster.
      if (hasWarned || message.includes('already in progress')) return;
      hasWarned = true;
      logger.warn(NOT_REWRITTEN, { error: message });
    }
  };
  // Redis counts its rewrites since its start, also those that failed, so no state of Mailhook's is needed.
  const isRewritten = async (node: Redis): Promise<boolean> => {
    const info = parseInfo(await node.info('persistence'));
    const rewrites = info.get('aof_rewrites') ?? '';
    if (info.get('aof_enabled') !== '1') return true;
    if (info.get('aof_rewrite_in_progress') === '1') return false;
    if (rewrites !== '0' && info.get('aof_last_bgrewrite_status') === 'ok') return true;
    // If the number has grown, another process has asked since.
    if (rewrites === (seen.get(node) ?? '0')) await begin(node);
    seen.set(node, rewrites);
    return false;
  };
  return () =>
    onEveryMaster(redis, isRewritten).then(
      (all) => all.every(Boolean),
      () => false,
    );
}

const NOT_REWRITTEN =
  'Redis refuses to rewrite its append-only file after its start: if its machine lost power before, its next restart ' +
  'may lose accepted events. Run BGREWRITEAOF after each start of Redis, or give the user of REDIS_URL ' +
  '+bgrewriteaof (docs/deployment.md).';
