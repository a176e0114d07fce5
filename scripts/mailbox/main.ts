import { Command } from '@commander-js/extra-typings';
import { Installation } from '@mailhook/delivery';
import { readMailboxReport } from '@mailhook/insight';
import type { MailboxReport } from '@mailhook/insight';
import { commonEnvironment } from '@mailhook/platform/config';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { readEnvironment } from '../environment.ts';
import { createTerminal } from '../terminal.ts';
import { messageOf, UserError } from '../user-error.ts';
import { mailboxLines } from './mailbox-lines.ts';

const { REDIS_URL, QUEUE_PREFIX, QUEUE_SHARDS } = commonEnvironment;
const WITHIN_MS = 5000;

export const command = new Command()
  .description(
    `Prints the mailbox of a destination in words: its record, status and owner, its events and batches, its breaker,
pause and resends. It reads Redis only, and changes nothing.

REDIS_URL, QUEUE_PREFIX and QUEUE_SHARDS say where the mailbox is, as for the services.`,
  )
  .argument('<destination>', "a subscription's id, or campaign-ACCOUNT")
  .option('--json', 'one JSON object instead of text')
  .action(async (destination, { json = false }) => {
    const report = await read(destination);
    createTerminal().line(json ? JSON.stringify(report, undefined, 2) : mailboxLines(report).join('\n'));
  });

async function read(destination: string): Promise<MailboxReport> {
  const {
    REDIS_URL: url,
    QUEUE_PREFIX: prefix,
    QUEUE_SHARDS: shards,
  } = readEnvironment({ REDIS_URL, QUEUE_PREFIX, QUEUE_SHARDS }, process.env);
  let reason = 'no answer';
  const onError = (error: unknown): void => {
    reason = messageOf(error);
  };
  const redis = connectRedis({ url, role: 'fail-fast', name: 'mailhook-mailbox', onError });
  try {
    await whenReady(redis, WITHIN_MS).catch(() => {
      throw new UserError(`Redis at REDIS_URL does not answer: ${reason}. Start it, or set REDIS_URL.`);
    });
    await checkShards(redis, prefix, shards);
    const report = await readMailboxReport(new Installation(redis, prefix, shards), destination);
    if (report === undefined) {
      throw new UserError(
        `Redis has no destination "${destination}" under QUEUE_PREFIX ${prefix}. Check the id: a subscription's ` +
          'id, or campaign-ACCOUNT. The record of a deleted one expires after a week.',
      );
    }
    return report;
  } finally {
    await closeRedis(redis);
  }
}

/** With another number of shards, the command would look for the account in another one. */
async function checkShards(redis: Redis, queuePrefix: string, shards: number): Promise<void> {
  const stored = await redis.get(`${queuePrefix}:shards`);
  if (stored === null)
    throw new UserError(
      `Redis has no installation with QUEUE_PREFIX ${queuePrefix}. Set QUEUE_PREFIX and REDIS_URL as for the services.`,
    );
  if (Number(stored) !== shards)
    throw new UserError(`QUEUE_SHARDS is ${shards}, but this installation has ${stored}: set QUEUE_SHARDS=${stored}.`);
}
