import { createConnection, mongo } from 'mongoose';
import type { Connection, Query } from 'mongoose';
import { KINDS, StoreConflictError, StoreUnavailableError } from '@mailhook/core';
import type {
  AccountPage,
  SearchBounds,
  Store,
  StoredAccount,
  StoredDestination,
  StoredProducerToken,
} from '@mailhook/core';
import { collectMatches, idStartOf, wordsOf } from '../collect-matches.ts';
import { translateStoreErrors } from '../translate-store-errors.ts';
import { connectUntilDone } from './connect.ts';
import { registerModels } from './models.ts';
import type { AccountDocument, Models } from './models.ts';

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

/**
 * The production store. Resolves after the first connection attempt, even if it failed. Until the first connection,
 * every method rejects with StoreUnavailableError, so that the api can start while MongoDB is down.
 */
export async function openMongoStore({ url, patienceMs = 1500, onError }: MongoStoreOptions): Promise<Store> {
  const connection = createConnection();
  const models = registerModels(connection);
  const makeIndexes = () => models.accounts.createIndexes();
  const connector = connectUntilDone(connection, { url, patienceMs, onError, makeIndexes });
  await connector.firstTry;
  const store: Store = {
    ...accountMethods(models),
    ...deletionMethods(models),
    ...producerTokenMethods(models),
    ...comparisonMethods(models),
    search: search(models),
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

const accountOf = ({ _id: id, destinations, ...fields }: AccountDocument): StoredAccount => ({
  id,
  ...fields,
  destinations: destinations.map(({ headers, settings, ...fields }) => ({
    ...fields,
    headers: JSON.parse(headers) as StoredDestination['headers'],
    settings: { ...settings, filter: JSON.parse(settings.filter) as StoredDestination['settings']['filter'] },
  })),
});

/** With the next version. */
const documentOf = ({ id: _id, destinations, ...fields }: StoredAccount): AccountDocument => ({
  _id,
  ...fields,
  version: fields.version + 1,
  destinations: destinations.map(({ headers, settings, ...fields }) => ({
    ...fields,
    headers: JSON.stringify(headers),
    settings: { ...settings, filter: JSON.stringify(settings.filter) },
  })),
});

function accountMethods({ accounts, deletions }: Models) {
  const create = async (document: AccountDocument): Promise<void> => {
    // A deletion that begins after this check removes the account again.
    if ((await deletions.exists({ _id: document._id })) !== null)
      throw new StoreConflictError('an account with this id was deleted lately');
    await accounts.create(document);
  };
  return {
    load: async (id: string) => {
      const found = await accounts.findById(id).lean<AccountDocument>();
      return found === null ? undefined : accountOf(found);
    },
    loadAll: async (ids: readonly string[]) => {
      const found = await accounts.find({ _id: { $in: ids } }).lean<AccountDocument[]>();
      return found.map(accountOf);
    },
    save: async (account: StoredAccount): Promise<boolean> => {
      const document = documentOf(account);
      const { id, version } = account;
      try {
        if (version > 0) {
          const options = { runValidators: true };
          return (await accounts.replaceOne({ _id: id, version }, document, options)).matchedCount === 1;
        }
        await create(document);
        return true;
      } catch (error) {
        const taken = uniqueKeyOf(error);
        if (taken === undefined) throw error;
        if (taken === '_id') return false;
        throw new StoreConflictError(`this ${taken === 'destinations.id' ? 'destination id' : 'token'} is in use`);
      }
    },
    remove: async ({ id, version, destinations }: StoredAccount, startedAt: string) => {
      // First, so that a crash between the two steps leaves a deletion to continue.
      const deletion = {
        $setOnInsert: { startedAt, finishedAt: null },
        $addToSet: { destinations: { $each: destinations.map((one) => ({ id: one.id, kind: KINDS[one.module] })) } },
      };
      await deletions.updateOne({ _id: id }, deletion, { upsert: true });
      return (await accounts.deleteOne({ _id: id, version })).deletedCount === 1;
    },
    findByToken: async (tokenHash: string) => {
      const found = await accounts
        .findOne({ 'tokens.tokenHash': tokenHash }, { 'tokens.$': 1 })
        .lean<AccountDocument>();
      const token = found?.tokens[0];
      return found === null || token === undefined ? undefined : { ...token, account: found._id };
    },
    list: async (after: string | undefined, count: number) => {
      const following = accounts.find(after === undefined ? {} : { _id: { $gt: after } }, { _id: 1 });
      const found = await following.sort({ _id: 1 }).limit(count).lean();
      return found.map(({ _id }) => _id);
    },
    newest: async ({ limit, cursor, prefix }: AccountPage) => {
      const found = await accounts
        .find({ $and: [afterCursor(cursor), withPrefix(prefix)] }, { name: 1, createdAt: 1 })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit + 1)
        .lean();
      const items = found.slice(0, limit).map(({ _id: id, name, createdAt }) => ({ id, name, createdAt }));
      const last = items.at(-1);
      if (last === undefined || found.length <= limit) return { items };
      return { items, nextCursor: `${last.createdAt}~${last.id}` };
    },
  };
}

/** The path of the unique index that refused a write. Undefined for another error. */
function uniqueKeyOf(error: unknown): string | undefined {
  if (!(error instanceof mongo.MongoServerError) || error.code !== 11_000) return undefined;
  return Object.keys((error['keyPattern'] ?? {}) as object)[0];
}

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [createdAt = '', id = ''] = cursor.split('~');
  return { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }] };
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function withPrefix(prefix: string | undefined) {
  if (prefix === undefined) return {};
  const pattern = `^${escaped(prefix)}`;
  return { $or: [{ _id: new RegExp(pattern) }, { name: new RegExp(pattern, 'i') }] };
}

/**
 * Whole ids are looked up, and beginnings of ids compared, in their indexes. Names and addresses are compared one by
 * one, on the server. Each query has the bounds of its own, so that matches of one do not hide those of another.
 */
const search =
  ({ accounts }: Models): Store['search'] =>
  async (text, bounds) => {
    const pattern = new RegExp(
      wordsOf(text)
        .map(escaped)
        .join(String.raw`\s+`),
      'i',
    );
    const start = idStartOf(text);
    const idPattern = start === undefined ? undefined : new RegExp(`^${escaped(start)}`, 'i');
    const queries = [
      accounts.find({ _id: text }),
      accounts.find({ 'destinations.id': text }),
      accounts.find({ name: pattern }),
      accounts.find({
        $or: [{ 'destinations.settings.address': pattern }, { 'destinations.settings.name': pattern }],
      }),
      ...(idPattern === undefined
        ? []
        : [accounts.find({ _id: idPattern }), accounts.find({ 'destinations.id': idPattern })]),
    ];
    const pages = await Promise.all(queries.map((query) => bounded(query.lean<AccountDocument[]>(), bounds)));
    const matches = collectMatches(text, bounds.limit);
    for (const { found } of pages) matches.add(found.map(accountOf));
    return matches.result(pages.every(({ isComplete }) => isComplete));
  };

/** MongoDB's error for an operation that exceeded its time. */
const MAX_TIME_EXPIRED = 50;

async function bounded(query: Query<AccountDocument[], unknown>, { limit, withinMs }: SearchBounds) {
  try {
    const found = await query.limit(limit + 1).maxTimeMS(withinMs);
    return { found, isComplete: found.length <= limit };
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== MAX_TIME_EXPIRED) throw error;
    return { found: [], isComplete: false };
  }
}

function deletionMethods({ deletions }: Models) {
  return {
    listDeletions: async () => {
      const found = await deletions.find().lean();
      return found.map(({ _id: account, ...deletion }) => ({ account, ...deletion }));
    },
    findDeletion: async (account: string) => {
      const found = await deletions.findById(account).lean();
      if (found === null) return undefined;
      const { _id, ...deletion } = found;
      return { account: _id, ...deletion };
    },
    finishDeletion: async (account: string, finishedAt: string | null) => {
      await deletions.updateOne({ _id: account }, { $set: { finishedAt } });
    },
    forgetDeletion: async (account: string) => {
      await deletions.deleteOne({ _id: account });
    },
  };
}

function producerTokenMethods({ producerTokens }: Models) {
  return {
    listProducerTokens: async (): Promise<StoredProducerToken[]> => {
      const found = await producerTokens.find().sort({ createdAt: 1 }).lean();
      return found.map(({ _id: id, ...token }) => ({ id, ...token }));
    },
    createProducerToken: async ({ id, ...token }: StoredProducerToken) => {
      await producerTokens.create({ _id: id, ...token, accounts: token.accounts && [...token.accounts] });
    },
    deleteProducerToken: async (id: string) => (await producerTokens.deleteOne({ _id: id })).deletedCount === 1,
  };
}

function comparisonMethods({ comparisons }: Models) {
  const last = { _id: 'last' };
  return {
    readComparison: async () => (await comparisons.findOne(last).read('primary').lean())?.comparison,
    noteComparison: async (id: string) => {
      await comparisons.updateOne(last, { $set: { comparison: id } }, { upsert: true });
    },
  };
}
