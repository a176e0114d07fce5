import { Types } from 'mongoose';
import { StoreConflictError } from '@mailhook/core';
import type { StoredSubscription, SubscriptionChange, SubscriptionType } from '@mailhook/core';
import { subscriptionLimitError } from '../subscription-limit-error.ts';
import type { Models, SubscriptionDocument } from './models.ts';
import { isDuplicate } from './unique.ts';

function toSubscription(document: SubscriptionDocument): StoredSubscription {
  const { _id: id, account, address, active, type, module, version } = document;
  return { id, account, address, active, type, module, version };
}

interface UpdateConditions {
  readonly ifVersion?: number | undefined;
  readonly maxOfType?: number | undefined;
}

export function subscriptionMethods(models: Models) {
  const { subscriptions } = models;
  return {
    createSubscription: async ({ id, ...input }: Omit<StoredSubscription, 'version'>, maxOfType?: number) => {
      const order = new Types.ObjectId();
      await inFreeSlot(models, { ...input, maxOfType }, async (slot) => {
        await subscriptions.create({ _id: id, ...input, version: 1, order, ...slot });
      });
      return { id, ...input, version: 1 };
    },
    listSubscriptions: async (account: string) =>
      (await subscriptions.find({ account }).sort({ order: 1 }).lean().exec()).map(toSubscription),
    findSubscription: async (account: string, id: string) => {
      const found = await subscriptions.findOne({ _id: id, account }).lean().exec();
      return found === null ? undefined : toSubscription(found);
    },
    updateSubscription: updateSubscription(models),
    deleteSubscription: async (account: string, id: string) => {
      const found = await subscriptions.findOneAndDelete({ _id: id, account }).lean().exec();
      return found === null ? undefined : toSubscription(found);
    },
  };
}

const updateSubscription = (models: Models) => {
  const { subscriptions } = models;
  const update = async (filter: object, fields: object) => {
    const change = { $inc: { version: 1 }, ...(Object.keys(fields).length === 0 ? {} : { $set: fields }) };
    const found = await subscriptions.findOneAndUpdate(filter, change, { returnDocument: 'after' }).lean().exec();
    return found === null ? undefined : toSubscription(found);
  };
  return async (
    account: string,
    id: string,
    change: SubscriptionChange,
    { ifVersion, maxOfType }: UpdateConditions = {},
  ): Promise<StoredSubscription | undefined> => {
    const filter = { _id: id, account, ...(ifVersion === undefined ? {} : { version: ifVersion }) };
    const fields = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const { type } = change;
    if (type === undefined) return update(filter, fields);
    // A subscription keeps its slot while it keeps its type. A new type needs a free slot of that type.
    const kept = await update({ ...filter, type }, fields);
    if (kept !== undefined) return kept;
    if ((await subscriptions.exists(filter).exec()) === null) return undefined;
    return inFreeSlot(models, { account, type, maxOfType }, (slot) => update(filter, { ...fields, ...slot }));
  };
};

interface Slotted {
  readonly account: string;
  readonly type: SubscriptionType;
  readonly maxOfType: number | undefined;
}

/** Maximum number of tries. At each one, another writer may take the free slot first. */
const TRIES = 100;

/**
 * Writes with a free slot: a number below the limit that no other subscription of the account and type has. A unique
 * index guards the slots, so two concurrent writers cannot both take the last one. Subscriptions that are older than
 * the limit have no slot, but count too.
 */
async function inFreeSlot<Result>(
  { subscriptions }: Models,
  { account, type, maxOfType }: Slotted,
  write: (slot: { readonly slot: number }) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const found = await subscriptions.find({ account, type }, { slot: 1 }).lean().exec();
    if (maxOfType !== undefined && found.length >= maxOfType) throw subscriptionLimitError(type, maxOfType);
    const taken = new Set(found.map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot += 1;
    try {
      return await write({ slot });
    } catch (error) {
      if (!isDuplicate(error) || tries >= TRIES) throw error;
      if (!isSlotTaken(error)) throw new StoreConflictError('this subscription id is in use');
    }
  }
}

const isSlotTaken = (error: unknown): boolean =>
  'slot' in ((error as { readonly keyPattern?: Readonly<Record<string, unknown>> }).keyPattern ?? {});
