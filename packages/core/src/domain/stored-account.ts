import type { Access, Account } from '../contracts/account.ts';
import { SIGNING_SECRETS_MAX } from '../contracts/account.ts';
import type { AlertAddress } from '../contracts/alert.ts';
import type { Mechanism } from '../contracts/delivery.ts';
import type { Limits } from '../contracts/destination-settings.ts';
import { SUBSCRIPTIONS_PER_TYPE_MAX } from '../contracts/subscription.ts';
import type { Subscription, SubscriptionType } from '../contracts/subscription.ts';
import { coded } from './coded-text.ts';
import type { CodedText } from './coded-text.ts';
import { campaignDestinationId } from './destination.ts';

/** Why a change of an account is refused: a limit, or an id or a token that is in use. Its text is for customers. */
export class StoreConflictError extends Error {
  override readonly name = 'StoreConflictError';
  readonly detail: string | CodedText;

  /** @param detail a clause, or a sentence with a code, which pages say in the reader's language. */
  constructor(detail: string | CodedText) {
    super(String(detail));
    this.detail = typeof detail === 'string' ? `${detail}.` : detail;
  }
}

/** A change was made for another state of its record than the stored one. */
export class OutdatedChangeError extends StoreConflictError {}

export interface StoredToken {
  readonly id: string;
  /** SHA-256 of the token, in hex. The token itself is never stored. */
  readonly tokenHash: string;
  readonly label: string;
  readonly access: Access;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601, or null for a token without an end. */
  readonly expiresAt: string | null;
}

export interface StoredSecret {
  readonly id: string;
  /** `whsec_` and base64, as Standard Webhooks defines it. Sealed if there is a `SECRETS_KEY`. */
  readonly secret: string;
  readonly createdAt: string;
}

/**
 * `version` grows with every change, and no two changes have the same one (`datedVersions`), because a 410 applies only
 * to the version that the request was sent to.
 */
export type StoredSubscription = Subscription & { readonly version: number };

/** `address` is null if it was never set or was cleared. `version` is 0 before the first change. */
export interface StoredCampaignWebhook {
  readonly address: string | null;
  readonly active: boolean;
  readonly inactiveReason: string | null;
  readonly version: number;
}

/** A customer's settings of how Mailhook calls one destination. */
export interface StoredDestinationSettings {
  /** A subscription's id, or `campaign`. */
  readonly destination: string;
  /** The origin of the address for which the headers were set. They are never sent to another one. */
  readonly origin: string;
  /** By lowercase name. The values are sealed if there is a `SECRETS_KEY`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Grows by one with every change of `headers`, whose values nothing shows. */
  readonly headersVersion: number;
  readonly limits: Limits;
  /**
   * Signing secrets of this destination alone, oldest first. Without one, requests are signed with those of the
   * account.
   */
  readonly secrets: readonly StoredSecret[];
  /** Starts at 1 and grows by one with every change. */
  readonly version: number;
}

/** `token` is in the links of its e-mails, 256 random bits. Only the owner of the address learns it. */
export interface StoredAlertAddress extends AlertAddress {
  readonly token: string;
}

/** An account with everything that belongs to it, as the store keeps it. Lists are oldest first. */
export interface StoredAccount extends Account {
  /** ISO 8601. */
  readonly createdAt: string;
  /** Grows by one with every save. 0: not saved yet. */
  readonly version: number;
  readonly tokens: readonly StoredToken[];
  readonly secrets: readonly StoredSecret[];
  readonly subscriptions: readonly StoredSubscription[];
  readonly campaign: StoredCampaignWebhook;
  readonly destinationSettings: readonly StoredDestinationSettings[];
  readonly alertAddresses: readonly StoredAlertAddress[];
}

/**
 * Raises the version of each destination that a rule has changed to this time at least, in Unix milliseconds. So after
 * the restore of a backup, a change is newer than what was saved after the backup, and its version never comes again.
 */
export function datedVersions(before: StoredAccount, after: StoredAccount, nowMs: number): StoredAccount {
  const dated = <Part extends { readonly version: number }>(part: Part, former: Part | undefined): Part =>
    part.version === (former?.version ?? 0) ? part : { ...part, version: Math.max(part.version, nowMs) };
  const former = new Map(before.subscriptions.map((one) => [one.id, one]));
  return {
    ...after,
    subscriptions: after.subscriptions.map((one) => dated(one, former.get(one.id))),
    campaign: dated(after.campaign, before.campaign),
  };
}

/*
 * The rules of changes. Each is pure, and returns the account to save, undefined if what it would change does not exist
 * or has another version, or the conflict that refuses it.
 */

/**
 * Raises the versions of destinations above those that their records in Redis ask for, by the id of the destination.
 * Returns the same account if it has these versions already.
 */
export function overtakeRecords(account: StoredAccount, wanted: ReadonlyMap<string, number>): StoredAccount {
  const raised = <Part extends { readonly version: number }>(part: Part, id: string): Part => {
    const version = wanted.get(id) ?? 0;
    return part.version < version ? { ...part, version: version + 1 } : part;
  };
  const campaign = raised(account.campaign, campaignDestinationId(account.id));
  const subscriptions = account.subscriptions.map((one) => raised(one, one.id));
  const isSame = campaign === account.campaign && subscriptions.every((one, i) => one === account.subscriptions[i]);
  return isSame ? account : { ...account, campaign, subscriptions };
}

/** An account without anything. */
export const newAccount = (fields: Pick<StoredAccount, 'id' | 'name' | 'createdAt'>): StoredAccount => ({
  ...fields,
  version: 0,
  tokens: [],
  secrets: [],
  subscriptions: [],
  campaign: { address: null, active: false, inactiveReason: null, version: 0 },
  destinationSettings: [],
  alertAddresses: [],
});

/** Returns the same account if it has this name already. */
export const renameAccount = (account: StoredAccount, name: string): StoredAccount =>
  account.name === name ? account : { ...account, name };

/** The maximum number of access tokens per account. It bounds the size of the account's document. */
export const TOKENS_MAX = 1000;

/** At the limit, expired tokens make room. Undefined if the account has `TOKENS_MAX` tokens that are valid. */
export function addToken(account: StoredAccount, token: StoredToken): StoredAccount | undefined {
  const isValid = ({ expiresAt }: StoredToken): boolean =>
    expiresAt === null || Date.parse(expiresAt) > Date.parse(token.createdAt);
  const kept = account.tokens.length < TOKENS_MAX ? account.tokens : account.tokens.filter(isValid);
  return kept.length >= TOKENS_MAX ? undefined : { ...account, tokens: [...kept, token] };
}

export const removeToken = (account: StoredAccount, id: string): StoredAccount | undefined =>
  without(account, 'tokens', id);

export const addSecret = (account: StoredAccount, secret: StoredSecret): StoredAccount | StoreConflictError =>
  account.secrets.length >= SIGNING_SECRETS_MAX
    ? new StoreConflictError(coded('many-secrets', { max: SIGNING_SECRETS_MAX }))
    : { ...account, secrets: [...account.secrets, secret] };

export const removeSecret = (account: StoredAccount, id: string): StoredAccount | undefined =>
  without(account, 'secrets', id);

/** A new subscription is active. */
export function addSubscription(
  account: StoredAccount,
  input: Omit<Subscription, 'active'>,
): StoredAccount | StoreConflictError {
  const { subscriptions } = account;
  if (subscriptions.some(({ id }) => id === input.id)) return new StoreConflictError('this subscription id is in use');
  const created = { ...input, active: true, version: 1 };
  return tooManyOf(account, input.type) ?? { ...account, subscriptions: [...subscriptions, created] };
}

export interface SubscriptionChange {
  readonly address?: string | undefined;
  readonly active?: boolean | undefined;
  readonly type?: SubscriptionType | undefined;
}

/** Raises the version, even for an empty change. With `ifVersion`, applies only to this version. */
export function editSubscription(
  account: StoredAccount,
  id: string,
  change: SubscriptionChange,
  ifVersion?: number,
): StoredAccount | StoreConflictError | undefined {
  const former = account.subscriptions.find((one) => one.id === id);
  if (former === undefined || (ifVersion ?? former.version) !== former.version) return undefined;
  const { address = former.address, active = former.active, type = former.type } = change;
  const next = { ...former, address, active, type, version: former.version + 1 };
  const conflict = type === former.type ? undefined : tooManyOf(account, type);
  return conflict ?? { ...account, subscriptions: account.subscriptions.map((one) => (one.id === id ? next : one)) };
}

/** Removes the settings of the destination, too. */
export function removeSubscription(account: StoredAccount, id: string): StoredAccount | undefined {
  const destinationSettings = account.destinationSettings.filter(({ destination }) => destination !== id);
  return without({ ...account, destinationSettings }, 'subscriptions', id);
}

/** Without an address, the webhook is inactive. The reason of a 410 stays while it is inactive and has an address. */
export function setCampaign(
  account: StoredAccount,
  { address, active }: Pick<StoredCampaignWebhook, 'address' | 'active'>,
): StoredAccount {
  const { campaign: former } = account;
  const isActive = active && address !== null;
  const inactiveReason = !isActive && address !== null && !former.active ? former.inactiveReason : null;
  return { ...account, campaign: { address, active: isActive, inactiveReason, version: former.version + 1 } };
}

/** Switches off the version of a destination that answered 410. `id` is that of a subscription. */
export function switchOff(
  account: StoredAccount,
  { id, kind, version, reason }: { id: string; kind: Mechanism; version: number; reason: string },
): StoredAccount | StoreConflictError | undefined {
  if (kind === 'transactional') return editSubscription(account, id, { active: false }, version);
  const { campaign } = account;
  if (campaign.version !== version) return undefined;
  return { ...account, campaign: { ...campaign, active: false, inactiveReason: reason, version: version + 1 } };
}

/** The settings' version must be the one after the stored version, or 1. */
export function saveDestinationSettings(
  account: StoredAccount,
  settings: StoredDestinationSettings,
): StoredAccount | undefined {
  const { destination, version } = settings;
  const isKnown = destination === 'campaign' || account.subscriptions.some(({ id }) => id === destination);
  const former = account.destinationSettings.find((one) => one.destination === destination);
  if (!isKnown || version !== (former?.version ?? 0) + 1) return undefined;
  const others = account.destinationSettings.filter((one) => one !== former);
  return { ...account, destinationSettings: [...others, settings] };
}

function without(
  account: StoredAccount,
  list: 'tokens' | 'secrets' | 'subscriptions',
  id: string,
): StoredAccount | undefined {
  const left = account[list].filter((one) => one.id !== id);
  return left.length === account[list].length ? undefined : { ...account, [list]: left };
}

function tooManyOf({ subscriptions }: StoredAccount, type: SubscriptionType): StoreConflictError | undefined {
  const max = SUBSCRIPTIONS_PER_TYPE_MAX;
  if (subscriptions.filter((one) => one.type === type).length < max) return undefined;
  return new StoreConflictError(coded('many-subscriptions', { max, type }));
}
