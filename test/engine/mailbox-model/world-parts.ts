import type { Redis } from '@mailhook/platform/redis';
import type { AllCommands } from '../../../packages/delivery/src/mailbox/commands/all.suite.ts';
import type { Keyspace } from './keyspace.ts';
import type { MailboxModel } from './model.ts';
import type { Worker } from './workers.ts';

/** What the steps of a world share. */
export interface WorldParts {
  readonly redis: Redis;
  readonly keyspace: Keyspace;
  readonly commands: AllCommands;
  readonly model: MailboxModel;
  /** The living workers. A dead one is replaced. */
  readonly workers: Worker[];
  readonly newId: () => string;
}
