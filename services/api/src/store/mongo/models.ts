import { Schema } from 'mongoose';
import type { Connection, Model, Types } from 'mongoose';
import type { Access, StoredSecret, SubscriptionType } from '@mailhook/core';

/** Documents in MongoDB. Mailhook creates the ids, so every `_id` is text. `order` sorts by age. */
export interface AccountDocument {
  _id: string;
  name: string;
  /** ISO 8601. */
  createdAt: string;
}

export interface DeletionDocument {
  _id: string;
  startedAt: string;
  finishedAt: string | null;
}

export interface TokenDocument {
  _id: string;
  account: string;
  tokenHash: string;
  label: string;
  access: Access;
  createdAt: string;
  expiresAt: string | null;
}

interface ProducerTokenDocument extends Omit<TokenDocument, 'account' | 'access'> {
  accounts: string[] | null;
}

/** One document per account, so that one atomic update can enforce the limit of secrets. */
interface SecretsDocument {
  _id: string;
  secrets: StoredSecret[];
}

export interface SubscriptionDocument {
  _id: string;
  account: string;
  address: string;
  active: boolean;
  type: SubscriptionType;
  module: 'transactional_email';
  version: number;
  order: Types.ObjectId;
  /** Absent if the subscription is older than the limit. */
  slot?: number;
}

interface DestinationSettingsDocument {
  /** `<account> <destination>` */
  _id: string;
  account: string;
  destination: string;
  origin: string;
  /** JSON, because names of headers may contain characters that names of fields must not. */
  headers: string;
  maxRequestsPerSecond: number | null;
  secrets: StoredSecret[];
  version: number;
}

export interface CampaignWebhookDocument {
  _id: string;
  address: string | null;
  active: boolean;
  inactiveReason: string | null;
  version: number;
}

export interface Models {
  readonly accounts: Model<AccountDocument>;
  readonly deletions: Model<DeletionDocument>;
  readonly tokens: Model<TokenDocument>;
  readonly producerTokens: Model<ProducerTokenDocument>;
  readonly secrets: Model<SecretsDocument>;
  readonly subscriptions: Model<SubscriptionDocument>;
  readonly destinationSettings: Model<DestinationSettingsDocument>;
  readonly campaigns: Model<CampaignWebhookDocument>;
}

const options = {
  versionKey: false,
  autoIndex: false,
  autoCreate: false,
  bufferCommands: false,
  strict: 'throw',
} as const;

/**
 * Registers the models on this connection only, so that two stores in one process are independent. Callers have
 * validated the fields.
 */
export function registerModels(connection: Connection): Models {
  const account = new Schema<AccountDocument>(
    { _id: String, name: String, createdAt: String },
    { ...options, collection: 'accounts' },
  );
  account.index({ createdAt: -1, _id: -1 });
  const deletion = new Schema<DeletionDocument>(
    { _id: String, startedAt: String, finishedAt: String },
    { ...options, collection: 'account-deletions' },
  );
  const secret = new Schema<StoredSecret>({ id: String, secret: String, createdAt: String }, { _id: false, id: false });
  const secrets = new Schema<SecretsDocument>(
    { _id: String, secrets: [secret] },
    { ...options, collection: 'signing-secrets' },
  );
  const subscription = new Schema<SubscriptionDocument>(
    {
      _id: String,
      account: String,
      address: String,
      active: Boolean,
      type: String,
      module: String,
      version: Number,
      order: Schema.Types.ObjectId,
      slot: Number,
    },
    { ...options, collection: 'subscriptions' },
  );
  subscription.index({ account: 1, order: 1 });
  subscription.index(
    { account: 1, type: 1, slot: 1 },
    { unique: true, partialFilterExpression: { slot: { $exists: true } } },
  );
  const campaign = new Schema<CampaignWebhookDocument>(
    { _id: String, address: String, active: Boolean, inactiveReason: String, version: Number },
    { ...options, collection: 'campaign-webhooks' },
  );
  return {
    accounts: connection.model<AccountDocument>('Account', account),
    deletions: connection.model<DeletionDocument>('AccountDeletion', deletion),
    ...registerTokens(connection),
    destinationSettings: registerDestinationSettings(connection),
    secrets: connection.model<SecretsDocument>('SigningSecrets', secrets),
    subscriptions: connection.model<SubscriptionDocument>('Subscription', subscription),
    campaigns: connection.model<CampaignWebhookDocument>('CampaignWebhook', campaign),
  };
}

function registerTokens(connection: Connection): Pick<Models, 'tokens' | 'producerTokens'> {
  const token = new Schema<TokenDocument>(
    {
      _id: String,
      account: String,
      tokenHash: String,
      label: String,
      access: String,
      createdAt: String,
      expiresAt: String,
    },
    { ...options, collection: 'tokens' },
  );
  token.index({ tokenHash: 1 }, { unique: true });
  token.index({ account: 1 });
  const producerToken = new Schema<ProducerTokenDocument>(
    {
      _id: String,
      tokenHash: String,
      label: String,
      createdAt: String,
      expiresAt: String,
      // For a list, mongoose would store an empty one instead of null.
      accounts: Schema.Types.Mixed,
    },
    { ...options, collection: 'producer-tokens' },
  );
  return {
    tokens: connection.model<TokenDocument>('Token', token),
    producerTokens: connection.model<ProducerTokenDocument>('ProducerToken', producerToken),
  };
}

function registerDestinationSettings(connection: Connection): Model<DestinationSettingsDocument> {
  const settings = new Schema<DestinationSettingsDocument>(
    {
      _id: String,
      account: String,
      destination: String,
      origin: String,
      headers: String,
      maxRequestsPerSecond: Number,
      secrets: [{ _id: false, id: String, secret: String, createdAt: String }],
      version: Number,
    },
    { ...options, collection: 'destination-settings' },
  );
  settings.index({ account: 1 });
  return connection.model<DestinationSettingsDocument>('DestinationSettings', settings);
}

/** Creates the indexes that the models declare, and keeps existing ones. */
export async function createIndexes(models: Models): Promise<void> {
  const { accounts, tokens, subscriptions, destinationSettings } = models;
  const firstHalf = [accounts.createIndexes(), tokens.createIndexes()];
  await Promise.all([...firstHalf, subscriptions.createIndexes(), destinationSettings.createIndexes()]);
}
