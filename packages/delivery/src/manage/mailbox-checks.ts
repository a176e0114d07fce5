import { shardOf } from '@mailhook/core';
import { readSumsOf } from '../mailbox/accounts.ts';
import { createDestinationCommands } from '../mailbox/commands/manage.ts';
import type { Installation } from '../mailbox/installation.ts';
import type { FoundRecord } from './destination-registry.ts';

/** Finds, notes (`lua/includes/violations.lua`) and corrects what no command looks for. */
export interface MailboxChecks {
  /**
   * Events of these destinations that no state counts are counted and sent. The sums of these accounts, which have all
   * the destinations that the caller knows of, count nothing if no mailbox of the account is live. Rejects while Redis
   * is away.
   */
  check(records: readonly Pick<FoundRecord, 'id' | 'kind' | 'account'>[], accounts: readonly Owner[]): Promise<void>;
}

interface Owner {
  readonly id: string;
  readonly destinations: readonly string[];
}

export function createMailboxChecks(installation: Installation): MailboxChecks {
  const { redis, shards } = installation;
  return {
    async check(records, accounts) {
      const destinations = new Map(accounts.map((one) => [one.id, one.destinations]));
      for (const keys of installation.allKeys()) {
        const isHere = (account: string): boolean => shardOf(account, shards) === keys.shard;
        const commands = createDestinationCommands(redis, keys);
        const found = records.filter(({ account, kind }) => kind === keys.kind && isHere(account));
        if (found.length > 0) await commands.recoverEntries(found.map(({ id }) => id));
        // Both mechanisms share the sums.
        if (keys.kind === 'campaign') continue;
        for (const [account, { events }] of await readSumsOf(redis, keys, [...destinations.keys()].filter(isHere)))
          if (events > 0) await commands.recountEvents(account, destinations.get(account) ?? []);
      }
    },
  };
}
