import { Schema } from 'mongoose';
import type { Connection, Model } from 'mongoose';
import { access, forEachName, KINDS, LANGUAGES, LIMITS, namesOf, SHAPES } from '@mailhook/core';
import type { StoredAccount, StoredDeletion, StoredDestination, StoredProducerToken } from '@mailhook/core';

/**
 * Mailhook creates the ids, so every `_id` is text. Headers and filters are JSON: their names may have characters of
 * operators.
 */
type Document<Record> = Record & { _id: string };
type DestinationDocument = Omit<StoredDestination, 'headers' | 'settings'> & {
  readonly headers: string;
  readonly settings: Omit<StoredDestination['settings'], 'filter'> & { readonly filter: string };
};
export type AccountDocument = Document<
  Omit<StoredAccount, 'id' | 'destinations'> & { destinations: readonly DestinationDocument[] }
>;
type DeletionDocument = Document<Omit<StoredDeletion, 'account'>>;
type ProducerTokenDocument = Document<Omit<StoredProducerToken, 'id'>>;
/** The id of the last comparison with Redis. The collection has this one document. */
type ComparisonDocument = Document<{ readonly comparison: string }>;

export interface Models {
  readonly accounts: Model<AccountDocument>;
  readonly deletions: Model<DeletionDocument>;
  readonly producerTokens: Model<ProducerTokenDocument>;
  readonly comparisons: Model<ComparisonDocument>;
}

const options = {
  versionKey: false,
  autoIndex: false,
  autoCreate: false,
  bufferCommands: false,
  strict: 'throw',
} as const;

const text = { type: String, required: true } as const;
const flag = { type: Boolean, required: true } as const;
const count = { type: Number, required: true, min: 0 } as const;
const part = (fields: Record<string, unknown>) => new Schema(fields, { _id: false, id: false, strict: 'throw' });

/** Without `_id`. `required` would refuse an empty text. */
function accountFields() {
  const token = { id: text, tokenHash: text, label: String, createdAt: String, expiresAt: String };
  const secret = part({ id: text, secret: text, createdAt: String, endsAt: String });
  const settings = part({
    address: String,
    active: flag,
    name: String,
    types: [String],
    version: count,
    shape: { ...text, enum: SHAPES },
    maxEvents: count,
    concurrency: Number,
    filter: text,
    ...forEachName(LIMITS, () => Number),
  });
  const destination = part({
    id: text,
    module: { ...text, enum: namesOf(KINDS) },
    settings: { type: settings, required: true },
    inactiveReason: String,
    goneAt: String,
    headers: text,
    headersVersion: count,
    secrets: [secret],
    version: count,
  });
  const alertReader = {
    id: text,
    language: { ...text, enum: LANGUAGES },
    createdAt: String,
    kinds: [String],
    muted: [String],
  };
  return {
    name: String,
    createdAt: text,
    version: count,
    tokens: [part({ ...token, access: { ...text, enum: access.options } })],
    secrets: [secret],
    destinations: [destination],
    alertAddresses: [part({ ...alertReader, email: text, confirmed: flag, token: text })],
    alertWebhooks: [part({ ...alertReader, address: text })],
    logKeys: [part({ month: Number, key: text })],
  };
}

/** Registers the models on this connection only, so that two stores in one process are independent. */
export function registerModels(connection: Connection): Models {
  const account = new Schema({ _id: String, ...accountFields() }, { ...options, collection: 'accounts' });
  account.index({ createdAt: -1, _id: -1 });
  // Unique among all accounts. An account without any must not count as one with an empty value.
  for (const path of ['tokens.tokenHash', 'destinations.id'])
    account.index({ [path]: 1 }, { unique: true, partialFilterExpression: { [path]: { $exists: true } } });
  const deletion = new Schema(
    { _id: String, startedAt: String, finishedAt: String, destinations: [part({ id: text, kind: text })] },
    { ...options, collection: 'account-deletions' },
  );
  const producerToken = new Schema(
    // For a list of accounts, mongoose would store an empty one instead of null.
    {
      _id: String,
      tokenHash: String,
      label: String,
      createdAt: String,
      expiresAt: String,
      accounts: Schema.Types.Mixed,
    },
    { ...options, collection: 'producer-tokens' },
  );
  const comparison = new Schema({ _id: String, comparison: text }, { ...options, collection: 'comparisons' });
  return {
    accounts: connection.model('Account', account) as unknown as Models['accounts'],
    deletions: connection.model('AccountDeletion', deletion) as unknown as Models['deletions'],
    producerTokens: connection.model('ProducerToken', producerToken) as unknown as Models['producerTokens'],
    comparisons: connection.model('Comparison', comparison) as unknown as Models['comparisons'],
  };
}
