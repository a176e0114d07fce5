import type { Redis } from '@mailhook/platform/redis';
import type { MailboxCommands } from '../../../packages/delivery/src/mailbox/commands.ts';
import type { Keyspace } from './keyspace.ts';
import type { MailboxModel } from './model.ts';
import type { Worker } from './workers.ts';

/** What the steps of a world share. */
export interface WorldParts {
  readonly redis: Redis;
  readonly keyspace: Keyspace;
  readonly commands: MailboxCommands;
  readonly model: MailboxModel;
  /** The living workers. A dead one is replaced. */
  readonly workers: Worker[];
  readonly newId: () => string;
}
