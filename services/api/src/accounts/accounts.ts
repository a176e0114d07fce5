import type { Store } from '@mailhook/core';
import type { DestinationRegistry, MailboxChecks } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Redis } from '@mailhook/platform/redis';
import type { Sealing } from '@mailhook/platform/sealing';
import { createAccountReader } from './account-reader.ts';
import type { AccountReader } from './account-reader.ts';
import { createAccountWriter } from './account-writer.ts';
import type { AccountWriter } from './account-writer.ts';
import { createChangeBus } from './change-bus.ts';
import type { ChangeBus } from './change-bus.ts';
import { createReseal } from './reseal.ts';
import { startResync } from './resync.ts';
import { createRoutingTable } from './routing-table.ts';
import type { RoutingTable } from './routing-table.ts';
import { createSnapshotLoader } from './snapshot.ts';
import { createProducerTokens } from './producer-tokens.ts';
import type { ProducerTokens } from './producer-tokens.ts';
import { createTokenUses, PRODUCERS } from './token-uses.ts';
import type { TokenUses } from './token-uses.ts';
import { createTokenDirectory } from './token-directory.ts';
import { createUnfinishedChanges } from './unfinished-changes.ts';
import type { TokenDirectory } from './token-directory.ts';

interface AccountsDeps {
  readonly store: Store;
  readonly registry: DestinationRegistry;
  readonly mailboxes: MailboxChecks;
  readonly redis: Redis;
  /** A connection that enters subscriber mode. The caller closes it. */
  readonly subscriber: Redis;
  readonly prefix: string;
  readonly sealing: Sealing;
  /** `PRODUCER_TOKEN`. */
  readonly producerToken: string;
  readonly logger: Logger;
}

/** Reads, writes and routes by the accounts, and keeps them equal on all replicas and workers. */
export interface Accounts extends Closeable {
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly routing: RoutingTable;
  readonly tokens: TokenDirectory;
  readonly producerTokens: ProducerTokens;
  readonly tokenUses: TokenUses;
  readonly bus: ChangeBus;
}

export async function createAccounts(deps: AccountsDeps): Promise<Accounts> {
  const { store, registry, redis, subscriber, prefix, logger } = deps;
  const now = () => performance.now();
  const routing = createRoutingTable({ lookUp: createSnapshotLoader(store), now });
  const tokenUses = createTokenUses({ redis, prefix, logger });
  const tokens = createTokenDirectory({ store, onUse: (account, token) => tokenUses.note(account, token), now });
  const producerTokens = createProducerTokens({
    store,
    environmentToken: deps.producerToken,
    now,
    onUse: (token) => tokenUses.note(PRODUCERS, token),
  });
  // Otherwise every unknown token would be a 503 while the store is down, which sets them apart from the known one.
  await producerTokens.load();
  const bus = await createChangeBus({
    publisher: redis,
    subscriber,
    prefix,
    onChange: ({ account, isDeleted, revokedToken, producerTokens: haveChanged }) => {
      if (haveChanged === true) producerTokens.forget();
      if (account !== undefined) routing.invalidate(account);
      if (account !== undefined && isDeleted === true) tokens.forgetAccount(account);
      if (revokedToken !== undefined) tokens.forget(revokedToken);
    },
    onGap: () => routing.doubtAll(),
  });
  const reseal = createReseal(deps.sealing, logger);
  const unfinished = createUnfinishedChanges(redis, prefix);
  const writer = createAccountWriter({ store, registry, routing, bus, unfinished, reseal, logger });
  const resync = startResync({ ...deps, writer, unfinished });
  return {
    reader: createAccountReader({ store, routing }),
    writer,
    routing,
    tokens,
    producerTokens,
    tokenUses,
    bus,
    close: async () => {
      await resync.close();
      await tokenUses.close();
      bus.close();
    },
  };
}
