import os from 'node:os';
import { createConnection } from 'mongoose';
import type { Connection } from 'mongoose';
import { StoreConflictError, StoreUnavailableError } from '@mailhook/core';
import type { Store, StoredCampaignWebhook, StoredSecret } from '@mailhook/core';
import { translateStoreErrors } from '../translate-store-errors.ts';
import { accountMethods } from './accounts.ts';
import { destinationSettingsMethods } from './destination-settings.ts';
import { createIndexes, registerModels } from './models.ts';
import type { CampaignWebhookDocument, Models } from './models.ts';
import { searchMethod } from './search.ts';
import { subscriptionMethods } from './subscriptions.ts';
import { tokenMethods } from './tokens.ts';
import { isDuplicate } from './unique.ts';

interface MongoStoreOptions {
  readonly url: string;
  /**
   * How long an operation waits for a server. The time is short, so that operations fail quickly while MongoDB is down.
   */
  readonly patienceMs?: number;
  /**
   * Called with connection errors. A failed first connection is tried again every second until `close`, and an index
   * that cannot be made too, but the same fault of an index is reported once.
   */
  readonly onError: (error: Error) => void;
}

const CONNECT_AGAIN_MS = 1000;

/**
 * The production store. Resolves after the first connection attempt, even if it failed. Until the first connection,
 * every method rejects with StoreUnavailableError, so that the api can start while MongoDB is down.
 */
export async function openMongoStore({ url, patienceMs = 1500, onError }: MongoStoreOptions): Promise<Store> {
  const connection = createConnection();
  const models = registerModels(connection);
  const connector = connectUntilDone(connection, models, url, patienceMs, onError);
  await connector.firstTry;
  const store: Store = {
    ...accountMethods(models),
    ...tokenMethods(models),
    ...secretMethods(models),
    ...subscriptionMethods(models),
    ...campaignMethods(models),
    ...destinationSettingsMethods(models),
    search: searchMethod(models),
    ping: async () => {
      await database(connection).command({ ping: 1 });
    },
    close: () => Promise.resolve(),
  };
  const translated = translateStoreErrors(
    store,
    (error) => new StoreUnavailableError('the store (MongoDB) cannot be reached', { cause: error }),
  );
  return { ...translated, close: connector.close };
}

function database(connection: Connection) {
  if (connection.db === undefined) throw new Error('not connected yet');
  return connection.db;
}

/** mongoose restores a lost connection, but does not repeat a failed first attempt. */
function connectUntilDone(
  connection: Connection,
  models: Models,
  url: string,
  patienceMs: number,
  onError: (error: Error) => void,
) {
  let closed = false;
  let again: NodeJS.Timeout | undefined;
  // A mongoose connection emits errors. Without a listener, they would end the process.
  connection.on('error', onError);
  let indexFault: string | undefined;
  const makeIndexes = async (): Promise<void> => {
    try {
      await createIndexes(models);
    } catch (error) {
      const text = `could not make an index: ${String(error)}. The server must support unique and partial indexes`;
      if (text !== indexFault) onError(new Error(text, { cause: error }));
      indexFault = text;
      tryLater(makeIndexes);
    }
  };
  const tryLater = (step: () => Promise<void>): void => {
    if (!closed) again = setTimeout(() => void step(), CONNECT_AGAIN_MS);
  };
  const attempt = async (): Promise<void> => {
    try {
      await connection.openUri(url, {
        serverSelectionTimeoutMS: patienceMs,
        connectTimeoutMS: patienceMs,
        socketTimeoutMS: 2 * patienceMs,
        waitQueueTimeoutMS: patienceMs,
        heartbeatFrequencyMS: 2000,
        // A completed write survives the death of a server.
        w: 'majority',
        journal: true,
        // The driver would import `os` dynamically, which the module sandbox of the test runner does not allow.
        runtimeAdapters: { os },
      });
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      tryLater(attempt);
      return;
    }
    await makeIndexes();
  };
  const close = async (): Promise<void> => {
    closed = true;
    clearTimeout(again);
    await connection.close();
  };
  return { firstTry: attempt(), close };
}

function secretMethods({ secrets }: Models) {
  const push = (account: string, secret: StoredSecret, max: number, upsert: boolean) =>
    secrets
      .updateOne(
        { _id: account, [`secrets.${max - 1}`]: { $exists: false } },
        { $push: { secrets: secret } },
        { upsert },
      )
      .exec();
  return {
    createSecret: async (account: string, secret: StoredSecret, max: number) => {
      try {
        await push(account, secret, max, true);
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        // Either the account is full, or another request has just created the document. A write without upsert shows
        // which.
        const { matchedCount } = await push(account, secret, max, false);
        if (matchedCount === 0) throw new StoreConflictError(`the account has ${max} signing secrets already`);
      }
    },
    listSecrets: async (account: string) => {
      const found = await secrets.findById(account).lean().exec();
      return (found?.secrets ?? []).map(({ id, secret, createdAt }) => ({ id, secret, createdAt }));
    },
    deleteSecret: async (account: string, id: string) => {
      const { modifiedCount } = await secrets.updateOne({ _id: account }, { $pull: { secrets: { id } } }).exec();
      return modifiedCount === 1;
    },
    resealSecret: async (account: string, id: string, from: string, to: string) => {
      const stored = { _id: account, secrets: { $elemMatch: { id, secret: from } } };
      await secrets.updateOne(stored, { $set: { 'secrets.$.secret': to } }).exec();
    },
  };
}

function toCampaignWebhook(account: string, document: CampaignWebhookDocument | null): StoredCampaignWebhook {
  if (document === null) return { account, address: null, active: false, inactiveReason: null, version: 0 };
  const { address, active, inactiveReason, version } = document;
  return { account, address, active, inactiveReason, version };
}

function campaignMethods({ campaigns }: Models) {
  type Setting = Pick<StoredCampaignWebhook, 'address' | 'active' | 'inactiveReason'>;
  const put = (account: string, setting: Setting, upsert: boolean, ifVersion?: number) =>
    campaigns
      .findOneAndUpdate(
        { _id: account, ...(ifVersion === undefined ? {} : { version: ifVersion }) },
        { $set: setting, $inc: { version: 1 } },
        { returnDocument: 'after', upsert },
      )
      .lean()
      .exec();
  return {
    getCampaignWebhook: async (account: string) =>
      toCampaignWebhook(account, await campaigns.findById(account).lean().exec()),
    putCampaignWebhook: async (account: string, setting: Setting, ifVersion?: number) => {
      // Version 0 is a setting that does not exist yet. Only for this version may a conditional write create it.
      const found = await put(account, setting, ifVersion === undefined, ifVersion).catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
        // Another first write has just created the document.
        return put(account, setting, false, ifVersion);
      });
      if (found !== null) return toCampaignWebhook(account, found);
      if (ifVersion !== 0) return undefined;
      try {
        await campaigns.create({ _id: account, ...setting, version: 1 });
        return { account, ...setting, version: 1 };
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },
  };
}
