import { Installation, readMailboxReport } from '@mailhook/delivery';
import type { MailboxReport } from '@mailhook/delivery';
import { commonEnvironment, ConfigError, readConfig } from '@mailhook/platform/config';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { readArguments } from '../command-line.ts';
import { createTerminal } from '../terminal.ts';
import { messageOf, runCommand, UserError } from '../user-error.ts';
import { mailboxLines } from './mailbox-lines.ts';

const HELP = `npm run mailbox -- DESTINATION [options]

Prints the mailbox of a destination in words: its record, status and owner, its events and batches, its breaker, pause
and resends. DESTINATION is a subscription's id, or campaign-ACCOUNT. It reads Redis only, and changes nothing.

  --json   one JSON object instead of text
  --help   this text

REDIS_URL, QUEUE_PREFIX and QUEUE_SHARDS say where the mailbox is, as for the services.
`;

const FLAGS = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const { REDIS_URL, QUEUE_PREFIX, QUEUE_SHARDS } = commonEnvironment;
const WITHIN_MS = 5000;

async function main(): Promise<void> {
  const { values: flags, positionals } = readArguments(process.argv.slice(2), FLAGS, 'npm run mailbox --');
  const terminal = createTerminal();
  if (flags.help) {
    terminal.line(HELP);
    return;
  }
  const [destination, ...more] = positionals;
  if (destination === undefined || more.length > 0)
    throw new UserError("Give one destination: a subscription's id, or campaign-ACCOUNT.");
  const report = await read(destination);
  terminal.line(flags.json ? JSON.stringify(report, undefined, 2) : mailboxLines(report).join('\n'));
}

async function read(destination: string): Promise<MailboxReport> {
  const { REDIS_URL: url, QUEUE_PREFIX: prefix, QUEUE_SHARDS: shards } = environment();
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

function environment() {
  try {
    return readConfig({ REDIS_URL, QUEUE_PREFIX, QUEUE_SHARDS }, process.env);
  } catch (error) {
    if (error instanceof ConfigError) throw new UserError(error.message);
    throw error;
  }
}

void runCommand(main);
