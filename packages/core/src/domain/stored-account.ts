import type { Access, Account } from '../contracts/account.ts';
import { SIGNING_SECRETS_MAX } from '../contracts/account.ts';
import type { AlertAddress, AlertWebhook } from '../contracts/alert.ts';
import { BATCH_EVENTS_MAX } from '../contracts/campaign-batch.ts';
import { NO_LIMITS } from '../contracts/destination-settings.ts';
import type { Settings } from '../contracts/destination-settings.ts';
import { CAMPAIGN_FIELDS } from '../contracts/event-types.ts';
import type { EventModule, EventTypeName } from '../contracts/event-types.ts';
import { DESTINATIONS_PER_TYPE_MAX } from '../contracts/subscription.ts';
import { namesOf } from '../contracts/tables.ts';
import { coded } from './coded-text.ts';
import type { CodedText } from './coded-text.ts';
import { campaignDestinationId, DEFAULT_SHAPES } from './destination.ts';
import { typesIn } from './settings-faults.ts';
import { rolled, withoutSecret, withSecret } from './signing-secrets.ts';
import type { StoredSecret } from './signing-secrets.ts';
import { isUrl } from './is-url.ts';

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

/** `address` is null only for a campaign webhook that was cleared. Its other settings are then the specification's. */
export type StoredSettings = Omit<Settings, 'address'> & { readonly address: string | null };

/** A destination of an account: where its events go, which, and how Mailhook calls it. */
export interface StoredDestination {
  /** Unique among all accounts. That of the campaign webhook is `campaignDestinationId(account)`. */
  readonly id: string;
  readonly module: EventModule;
  readonly settings: StoredSettings;
  /** Why Mailhook itself switched it off (a 410), while it is inactive. */
  readonly inactiveReason: string | null;
  /** When Mailhook switched it off (ISO 8601). */
  readonly goneAt: string | null;
  /** By lowercase name. The values are sealed if there is a `SECRETS_KEY`. They never go to another origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Grows by one with every change of `headers`, whose values nothing shows. */
  readonly headersVersion: number;
  /** Signing secrets of this destination alone, oldest first. Without one, those of the account sign. */
  readonly secrets: readonly StoredSecret[];
  /**
   * Of the record. It grows with every change, and no two changes have the same one (`datedVersions`), because a 410
   * applies only to the version that the request was sent to.
   */
  readonly version: number;
}

/** A key of the account's blocks in the event log. It is stored only with a `SECRETS_KEY`. */
interface StoredLogKey {
  /** Months since 1970. */
  readonly month: number;
  /** 32 bytes in base64url, sealed. */
  readonly key: string;
}

/** `token` is in the links of its e-mails, 256 random bits. Only the owner of the address learns it. */
export interface StoredAlertAddress extends Omit<AlertAddress, 'lastFailure'> {
  readonly token: string;
}

export type StoredAlertWebhook = Omit<AlertWebhook, 'lastFailure'>;

/** An account with everything that belongs to it, as the store keeps it. Lists are oldest first. */
export interface StoredAccount extends Account {
  /** ISO 8601. */
  readonly createdAt: string;
  /** Grows by one with every save. 0: not saved yet. */
  readonly version: number;
  readonly tokens: readonly StoredToken[];
  readonly secrets: readonly StoredSecret[];
  /** The campaign webhook is among them once it was set. */
  readonly destinations: readonly StoredDestination[];
  readonly alertAddresses: readonly StoredAlertAddress[];
  readonly alertWebhooks: readonly StoredAlertWebhook[];
  readonly logKeys: readonly StoredLogKey[];
}

/**
 * Raises the version of each destination that a rule has changed to this time at least, in Unix milliseconds. So after
 * the restore of a backup, a change is newer than what was saved after the backup, and its version never comes again.
 */
export function datedVersions(before: StoredAccount, after: StoredAccount, nowMs: number): StoredAccount {
  const former = new Map(before.destinations.map((one) => [one.id, one.version]));
  return mapDestinations(after, (one) =>
    one.version === (former.get(one.id) ?? 0) ? one : { ...one, version: Math.max(one.version, nowMs) },
  );
}

const mapDestinations = (
  account: StoredAccount,
  change: (one: StoredDestination) => StoredDestination,
): StoredAccount => {
  const destinations = account.destinations.map(change);
  const isSame = destinations.every((one, at) => one === account.destinations[at]);
  return isSame ? account : { ...account, destinations };
};

/*
 * The rules of changes. Each is pure, and returns the account to save, undefined if what it would change does not exist
 * or has another version, or the conflict that refuses it.
 */

/**
 * Raises the versions of destinations above those that their records in Redis ask for, by the id of the destination.
 * Returns the same account if it has these versions already.
 */
export const overtakeRecords = (account: StoredAccount, wanted: ReadonlyMap<string, number>): StoredAccount =>
  mapDestinations(account, (one) => {
    const version = wanted.get(one.id) ?? 0;
    return one.version < version ? { ...one, version: version + 1 } : one;
  });

/** An account without anything. */
export const newAccount = (fields: Pick<StoredAccount, 'id' | 'name' | 'createdAt'>): StoredAccount => ({
  ...fields,
  version: 0,
  tokens: [],
  secrets: [],
  destinations: [],
  alertAddresses: [],
  alertWebhooks: [],
  logKeys: [],
});

/** Returns the same account if it has this name already. */
export const renameAccount = (account: StoredAccount, name: string): StoredAccount =>
  account.name === name ? account : { ...account, name };

/** The maximum number of access tokens per account. It bounds the size of the account's document. */
export const TOKENS_MAX = 1000;

/** At the limit, expired tokens make room. Undefined if the account has `max` tokens that are valid. */
export function addToken(account: StoredAccount, token: StoredToken, max = TOKENS_MAX): StoredAccount | undefined {
  const isValid = ({ expiresAt }: StoredToken): boolean =>
    expiresAt === null || Date.parse(expiresAt) > Date.parse(token.createdAt);
  const kept = account.tokens.length < max ? account.tokens : account.tokens.filter(isValid);
  return kept.length >= max ? undefined : { ...account, tokens: [...kept, token] };
}

export function removeToken(account: StoredAccount, id: string): StoredAccount | undefined {
  const tokens = account.tokens.filter((one) => one.id !== id);
  return tokens.length === account.tokens.length ? undefined : { ...account, tokens };
}

/** `endOfOthers`: when the others stop signing (ISO 8601). */
export function addSecret(
  account: StoredAccount,
  secret: StoredSecret,
  endOfOthers?: string,
): StoredAccount | StoreConflictError {
  const { secrets: before } = account;
  const secrets = endOfOthers === undefined ? withSecret(before, secret) : rolled(before, secret, endOfOthers);
  if (secrets === undefined) return new StoreConflictError(coded('many-secrets', { max: SIGNING_SECRETS_MAX }));
  return { ...account, secrets };
}

/** `at`: now (ISO 8601). */
export function removeSecret(account: StoredAccount, id: string, at: string): StoredAccount | undefined {
  const secrets = withoutSecret(account.secrets, id, at);
  return secrets && { ...account, secrets };
}

/** The settings of a destination that names nothing but its address, module and types. */
export const defaultSettings = (
  module: EventModule,
  given: Pick<StoredSettings, 'address' | 'types'>,
): StoredSettings => ({
  active: true,
  name: null,
  version: 2,
  shape: DEFAULT_SHAPES[module],
  maxEvents: BATCH_EVENTS_MAX,
  concurrency: null,
  filter: null,
  ...NO_LIMITS,
  ...given,
});

/** As the routes of the specification create a destination. */
export const version1Settings = (
  module: EventModule,
  given: Pick<StoredSettings, 'address'> & { readonly types?: StoredSettings['types'] },
): StoredSettings => ({
  ...defaultSettings(module, { types: namesOf(CAMPAIGN_FIELDS), ...given }),
  version: 1,
});

const find = ({ destinations }: StoredAccount, id: string): StoredDestination | undefined =>
  destinations.find((one) => one.id === id);

export function addDestination(
  account: StoredAccount,
  given: Pick<StoredDestination, 'id' | 'module' | 'settings' | 'headers'>,
): StoredAccount | StoreConflictError {
  if (find(account, given.id) !== undefined) return new StoreConflictError('this destination id is in use');
  const created = { ...given, inactiveReason: null, goneAt: null, headersVersion: 1, secrets: [], version: 1 };
  return tooManyOf(account, undefined, created) ?? { ...account, destinations: [...account.destinations, created] };
}

/** What is absent or undefined stays. */
export type SettingsChange = { readonly [Name in keyof StoredSettings]?: StoredSettings[Name] | undefined };

export const changedSettings = (former: StoredSettings, change: SettingsChange): StoredSettings => ({
  ...former,
  ...(Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<StoredSettings>),
});

export interface DestinationChange {
  readonly settings?: SettingsChange;
  readonly headers?: StoredDestination['headers'];
  readonly secrets?: StoredDestination['secrets'];
}

/**
 * Raises the version, even for an empty change. Headers never go to another origin: those of the former address are
 * removed, unless the change has some. What a 410 said stays while the destination is inactive.
 */
export function editDestination(
  account: StoredAccount,
  id: string,
  change: DestinationChange,
): StoredAccount | StoreConflictError | undefined {
  const former = find(account, id);
  if (former === undefined) return undefined;
  const given = changedSettings(former.settings, change.settings ?? {});
  const settings = { ...given, active: given.active && given.address !== null };
  const isGone = !settings.active && !former.settings.active && settings.address !== null;
  const hasMoved = originOf(settings.address) !== originOf(former.settings.address);
  const headers = change.headers ?? (hasMoved ? {} : former.headers);
  return replaced(account, former, {
    ...former,
    settings,
    inactiveReason: isGone ? former.inactiveReason : null,
    goneAt: isGone ? former.goneAt : null,
    headers,
    headersVersion: former.headersVersion + (headers === former.headers ? 0 : 1),
    secrets: change.secrets ?? former.secrets,
  });
}

/** The change with the next version, or the conflict that refuses it. */
function replaced(
  account: StoredAccount,
  former: StoredDestination,
  next: StoredDestination,
): StoredAccount | StoreConflictError {
  const raised = { ...next, version: former.version + 1 };
  return tooManyOf(account, former, raised) ?? mapDestinations(account, (one) => (one === former ? raised : one));
}

/** A campaign webhook stays without an address, so that its waiting events become dead letters. */
export function removeDestination(account: StoredAccount, id: string): StoredAccount | undefined {
  const former = find(account, id);
  if (former === undefined) return undefined;
  if (id !== campaignDestinationId(account.id))
    return { ...account, destinations: account.destinations.filter((one) => one !== former) };
  const cleared = { ...clearedCampaign(id), headersVersion: former.headersVersion + 1, version: former.version + 1 };
  return mapDestinations(account, (one) => (one === former ? cleared : one));
}

const clearedCampaign = (id: string): StoredDestination => ({
  id,
  module: 'campaign',
  settings: { ...version1Settings('campaign', { address: null }), active: false },
  inactiveReason: null,
  goneAt: null,
  headers: {},
  headersVersion: 0,
  secrets: [],
  version: 0,
});

/**
 * Creates the campaign webhook as the specification has it, changes its address and whether it is active, or without an
 * address removes it.
 */
export function setCampaign(
  account: StoredAccount,
  { address, active }: { readonly address: string | null; readonly active: boolean },
): StoredAccount | StoreConflictError {
  const id = campaignDestinationId(account.id);
  const former = find(account, id);
  if (address === null) return removeDestination(account, id) ?? account;
  if (former !== undefined && former.settings.address !== null) {
    const { settings } = former;
    return editDestination(account, id, { settings: { ...settings, address, active } }) as StoredAccount;
  }
  const cleared = former ?? clearedCampaign(id);
  const withIt = former === undefined ? { ...account, destinations: [...account.destinations, cleared] } : account;
  return replaced(withIt, cleared, { ...cleared, settings: { ...cleared.settings, address, active } });
}

/** Switches off the version of a destination that answered 410. `at`: ISO 8601. */
export function switchOff(
  account: StoredAccount,
  { id, version, reason, at }: { id: string; version: number; reason: string; at: string },
): StoredAccount | undefined {
  const former = find(account, id);
  if (former?.version !== version) return undefined;
  const settings = { ...former.settings, active: false };
  return replaced(account, former, { ...former, settings, inactiveReason: reason, goneAt: at }) as StoredAccount;
}

/** Scheme, host and port of an address, or '' without one. */
export const originOf = (address: string | null): string =>
  address !== null && isUrl(address) ? new URL(address).origin : '';

/** The event types of which a destination counts as one. */
const typesTaken = ({ module, settings }: StoredDestination): readonly EventTypeName[] =>
  settings.address === null ? [] : typesIn(module, settings.types);

/** Refuses a destination that would be one too many of a type that it did not have before. */
function tooManyOf(
  { destinations }: StoredAccount,
  former: StoredDestination | undefined,
  next: StoredDestination,
): StoreConflictError | undefined {
  const had = former === undefined ? [] : typesTaken(former);
  const others = destinations.filter((one) => one !== former && one.module === next.module).map(typesTaken);
  const type = typesTaken(next).find(
    (one) => !had.includes(one) && others.filter((types) => types.includes(one)).length >= DESTINATIONS_PER_TYPE_MAX,
  );
  if (type === undefined) return undefined;
  return new StoreConflictError(coded('many-destinations', { max: DESTINATIONS_PER_TYPE_MAX, type }));
}
