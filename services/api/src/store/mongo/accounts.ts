import { StoreConflictError } from '@mailhook/core';
import type { AccountPage, StoredAccount, StoredDeletion } from '@mailhook/core';
import type { AccountDocument, DeletionDocument, Models } from './models.ts';
import { isDuplicate } from './unique.ts';

export function accountMethods(models: Models) {
  const { accounts, deletions } = models;
  const put = ({ id, name, createdAt }: StoredAccount) =>
    accounts
      .findOneAndUpdate(
        { _id: id },
        { $set: { name }, $setOnInsert: { createdAt } },
        { upsert: true, returnDocument: 'before' },
      )
      .lean()
      .exec();
  return {
    putAccount: async (account: StoredAccount) => {
      // A deletion that begins after this check removes the account again.
      if ((await deletions.exists({ _id: account.id }).exec()) !== null) {
        throw new StoreConflictError('an account with this id was deleted lately');
      }
      const before = await put(account).catch((error: unknown) => {
        // Another request has just created it.
        if (isDuplicate(error)) return put(account);
        throw error;
      });
      if (before === null) return 'created';
      return before.name === account.name ? 'unchanged' : 'renamed';
    },
    findAccount: async (id: string) => {
      const found = await accounts.findById(id).lean().exec();
      return found === null ? undefined : accountOf(found);
    },
    listAccounts: async (page: { readonly limit: number; readonly after?: string | undefined }) => {
      const filter = page.after === undefined ? {} : { _id: { $gt: page.after } };
      const found = await accounts.find(filter).sort({ _id: 1 }).limit(page.limit).lean().exec();
      return found.map(accountOf);
    },
    listNewestAccounts: async ({ limit, cursor, prefix }: AccountPage) => {
      const found = await accounts
        .find({ $and: [afterCursor(cursor), withPrefix(prefix)] })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit + 1)
        .lean()
        .exec();
      const items = found.slice(0, limit).map(accountOf);
      const last = items.at(-1);
      if (last === undefined || found.length <= limit) return { items };
      return { items, nextCursor: `${last.createdAt}~${last.id}` };
    },
    findAccounts: async (ids: readonly string[]) => {
      const found = await accounts
        .find({ _id: { $in: ids } })
        .lean()
        .exec();
      return found.map(accountOf);
    },
    ...deletionMethods(models),
  };
}

function deletionMethods(models: Models) {
  const { accounts, deletions, tokens, secrets, subscriptions, campaigns, destinationSettings } = models;
  const removeAccount = async (id: string): Promise<void> => {
    await accounts.deleteOne({ _id: id }).exec();
  };
  return {
    deleteAccount: async (id: string, startedAt: string) => {
      const known = await Promise.all([accounts.exists({ _id: id }).exec(), deletions.exists({ _id: id }).exec()]);
      if (known.every((found) => found === null)) return false;
      // First, so that a crash between the two steps leaves a deletion to continue, and not an account without its
      // settings.
      const deletion = { $setOnInsert: { startedAt, finishedAt: null } };
      await deletions.updateOne({ _id: id }, deletion, { upsert: true }).exec();
      await removeAccount(id);
      return true;
    },
    listDeletions: async () => (await deletions.find().lean().exec()).map(deletionOf),
    findDeletion: async (account: string) => {
      const found = await deletions.findById(account).lean().exec();
      return found === null ? undefined : deletionOf(found);
    },
    removeSettings: async (account: string) => {
      await removeAccount(account);
      await Promise.all([
        tokens.deleteMany({ account }).exec(),
        subscriptions.deleteMany({ account }).exec(),
        destinationSettings.deleteMany({ account }).exec(),
        secrets.deleteOne({ _id: account }).exec(),
        campaigns.deleteOne({ _id: account }).exec(),
      ]);
    },
    finishDeletion: async (account: string, finishedAt: string) => {
      await deletions.updateOne({ _id: account }, { $set: { finishedAt } }).exec();
    },
    forgetDeletion: async (account: string) => {
      await deletions.deleteOne({ _id: account }).exec();
    },
  };
}

const accountOf = ({ _id: id, name, createdAt }: AccountDocument): StoredAccount => ({ id, name, createdAt });

const deletionOf = ({ _id: account, startedAt, finishedAt }: DeletionDocument): StoredDeletion => ({
  account,
  startedAt,
  finishedAt,
});

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [createdAt = '', id = ''] = cursor.split('~');
  return { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }] };
}

function withPrefix(prefix: string | undefined) {
  if (prefix === undefined) return {};
  const pattern = prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return { $or: [{ _id: new RegExp(`^${pattern}`) }, { name: new RegExp(`^${pattern}`, 'i') }] };
}
