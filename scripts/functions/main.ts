import { Command } from '@commander-js/extra-typings';
import { loadFunctions } from '@mailhook/delivery';
import { commonEnvironment } from '@mailhook/platform/config';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { readEnvironment } from '../environment.ts';
import { createTerminal } from '../terminal.ts';
import { messageOf, UserError } from '../user-error.ts';

const { REDIS_URL, QUEUE_PREFIX } = commonEnvironment;
const WITHIN_MS = 5000;

export const command = new Command()
  .description(
    `Loads the functions of this version into Redis, for services whose Redis user may not (docs/deployment.md). Run it
before each update. It puts back functions that somebody has replaced, and says so.

REDIS_URL names a user with +function|load and +function|list, QUEUE_PREFIX is that of the services.`,
  )
  .action(async () => {
    const { REDIS_URL: url, QUEUE_PREFIX: prefix } = readEnvironment({ REDIS_URL, QUEUE_PREFIX }, process.env);
    let reason = 'no answer';
    const onError = (error: unknown): void => {
      reason = messageOf(error);
    };
    const redis = connectRedis({ url, role: 'fail-fast', name: 'mailhook-functions', onError });
    try {
      await whenReady(redis, WITHIN_MS).catch(() => {
        throw new UserError(`Redis at REDIS_URL does not answer: ${reason}. Start it, or set REDIS_URL.`);
      });
      const { wasForeign } = await loadFunctions(redis, prefix).catch((error: unknown) => {
        throw new UserError(messageOf(error));
      });
      const terminal = createTerminal();
      if (wasForeign)
        terminal.line('Somebody had replaced the functions: see MailhookFunctionsReplaced in docs/runbook.md.');
      terminal.line(`The functions of this version are loaded for QUEUE_PREFIX ${prefix}.`);
    } finally {
      await closeRedis(redis);
    }
  });
