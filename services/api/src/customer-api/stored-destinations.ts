import { isDeepStrictEqual } from 'node:util';
import {
  addDestination,
  changedSettings,
  coded,
  defaultSettings,
  destinationIdOf,
  editDestination,
  originOf,
  removeDestination,
  settingsFaults,
  shown,
} from '@mailhook/core';
import type {
  CustomerServices,
  DestinationInput,
  DestinationSettings,
  DestinationSettingsInput,
  HeaderInput,
  IfVersion,
  Store,
  StoredAccount,
  StoredDestination,
  VersionedSettings,
} from '@mailhook/core';
import type { DestinationRegistry } from '@mailhook/delivery';
import { invalid, ProblemError, versionOf } from '@mailhook/platform/http-server';
import type { Sealing } from '@mailhook/platform/sealing';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone, refuseOutdated } from '../accounts/change-account.ts';
import { newId } from '../accounts/tokens.ts';
import type { SavedAddressCheck } from './address-check.ts';

export interface StoredDestinationsDeps {
  readonly store: Pick<Store, 'load'>;
  readonly writer: Pick<AccountWriter, 'change'>;
  readonly registry: Pick<DestinationRegistry, 'countDeleted'>;
  readonly sealing: Pick<Sealing, 'seal'>;
  readonly checkSavedAddress: SavedAddressCheck;
}

type NewSettings = ReturnType<typeof defaultSettings>;

type Headers = Readonly<Record<string, HeaderInput>>;

/** The destination that its customer knows by this id. Undefined if the account has none, or it was cleared. */
export function storedDestination(account: StoredAccount | undefined, id: string): StoredDestination | undefined {
  const found = account?.destinations.find((one) => one.id === destinationIdOf(account.id, id));
  return found === undefined || found.settings.address === null ? undefined : found;
}

export const unknownDestination = (): ProblemError =>
  new ProblemError('not_found', { detail: coded('unknown-destination') });

/** Rejects with a 404 if the account has no such destination. */
export async function findDestination(
  store: Pick<Store, 'load'>,
  account: string,
  id: string,
): Promise<StoredDestination> {
  const found = storedDestination(await store.load(account), id);
  if (found === undefined) throw unknownDestination();
  return found;
}

/**
 * Most destinations that an account may delete in about a week before it can create no more. Each leaves up to 300
 * bytes in Redis for a week.
 */
const DELETED_MAX = 10_000;

export async function refuseAfterManyDeletions(
  registry: StoredDestinationsDeps['registry'],
  account: string,
): Promise<void> {
  const { count, leftMs } = await registry.countDeleted(account);
  if (count < DELETED_MAX) return;
  throw new ProblemError('rate_limited', {
    detail: coded('many-deleted', { count: String(count) }),
    headers: { 'retry-after': String(Math.max(1, Math.ceil(leftMs / 1000))) },
  });
}

/** The settings of a new destination. Throws a 422 if they contradict each other. */
export function newSettings({ module, headers: _headers, address, types, ...others }: DestinationInput): NewSettings {
  const settings = changedSettings(defaultSettings(module, { address, types }), others);
  refuse(settingsFaults(module, settings));
  return settings;
}

export const createDestination =
  ({ writer, registry, sealing, checkSavedAddress }: StoredDestinationsDeps) =>
  async (account: string, input: DestinationInput): Promise<{ readonly id: string }> => {
    await refuseAfterManyDeletions(registry, account);
    await checkSavedAddress(input.address, () => Promise.resolve(undefined));
    const { module, headers = {} } = input;
    const settings = newSettings(input);
    const sealed = merge(headers, {}, sealer(sealing, account));
    const id = newId();
    const created = await writer.change(account, (stored) =>
      addDestination(stored, { id, module, settings, headers: sealed }),
    );
    if (created === undefined) throw accountGone();
    return { id };
  };

export const createDestinationSettings = (deps: StoredDestinationsDeps): CustomerServices['destinationSettings'] => ({
  async list(account) {
    const found = await deps.store.load(account);
    return new Map(
      (found?.destinations ?? []).flatMap((one) => {
        const seen = shown(account, one);
        return seen === undefined ? [] : [[seen.id, versioned(account, one)] as const];
      }),
    );
  },
  read: async (account, id) => versioned(account, await findDestination(deps.store, account, id)),
  write: write(deps),
});

const write =
  ({ store, writer, sealing, checkSavedAddress }: StoredDestinationsDeps) =>
  async (
    account: string,
    id: string,
    input: DestinationSettingsInput,
    onUnchanged: () => void,
    ifVersion?: IfVersion,
  ): Promise<DestinationSettings> => {
    const { address } = input;
    if (address !== undefined)
      await checkSavedAddress(address, async () => storedDestination(await store.load(account), id)?.settings.address);
    const rule = (stored: StoredAccount) => {
      const former = storedDestination(stored, id);
      if (former === undefined) return undefined;
      const refusal = refuseOutdated(visible(account, former), ifVersion);
      if (refusal !== undefined) return refusal;
      const { headers: given, module: _module, ...settings } = input;
      refuse(changeFaults(former, input, id));
      const isSameOrigin = address === undefined || originOf(address) === originOf(former.settings.address);
      const kept = isSameOrigin ? former.headers : {};
      const headers = given === undefined ? undefined : merge(given, kept, sealer(sealing, account));
      const isNew = headers !== undefined && !isDeepStrictEqual(headers, former.headers);
      return editDestination(stored, former.id, { settings, ...(isNew ? { headers } : {}) });
    };
    const changed = await writer.change(account, rule, { evenWhenFull: input.active === false });
    const [before, after] = [storedDestination(changed?.before, id), storedDestination(changed?.after, id)];
    if (before === undefined || after === undefined) throw unknownDestination();
    if (isDeepStrictEqual(visible(account, before), visible(account, after))) onUnchanged();
    return settingsOf(account, after);
  };

/** The result is checked as a whole, so that its fields never contradict each other. */
function changeFaults({ module, settings }: StoredDestination, input: DestinationSettingsInput, id: string) {
  const { module: wanted = module, headers: _headers, ...others } = input;
  const next = changedSettings(settings, others);
  const faults = settingsFaults(module, next);
  if (wanted !== module) faults.push({ path: 'module', message: 'cannot be changed: create another destination' });
  if (id === 'campaign' && next.shape !== settings.shape)
    faults.push({ path: 'shape', message: 'of the campaign webhook cannot be changed: create another destination' });
  return faults;
}

export const removeStored =
  ({ writer }: Pick<StoredDestinationsDeps, 'writer'>) =>
  async (account: string, id: string, ifVersion?: IfVersion): Promise<void> => {
    const rule = (stored: StoredAccount) => {
      const former = storedDestination(stored, id);
      if (former === undefined) return undefined;
      return refuseOutdated(visible(account, former), ifVersion) ?? removeDestination(stored, former.id);
    };
    if ((await writer.change(account, rule, { evenWhenFull: true })) === undefined) throw unknownDestination();
  };

function refuse(faults: ReturnType<typeof settingsFaults>): void {
  if (faults.length > 0) throw invalid(faults);
}

function settingsOf(account: string, one: StoredDestination): DestinationSettings {
  const seen = shown(account, one);
  if (seen === undefined) throw unknownDestination();
  const { id: _id, inactiveReason: _reason, goneAt: _goneAt, ...settings } = seen;
  return settings;
}

/** What a reader sees, and which of the values that nobody sees. */
const visible = (account: string, one: StoredDestination) => ({
  ...settingsOf(account, one),
  headersVersion: one.headersVersion,
});

const versioned = (account: string, one: StoredDestination): VersionedSettings => ({
  settings: settingsOf(account, one),
  etag: versionOf(visible(account, one)),
  headersEtag: versionOf({ names: Object.keys(one.headers).sort(), headersVersion: one.headersVersion }),
});

const sealer = (sealing: StoredDestinationsDeps['sealing'], account: string) => (value: string, field: string) =>
  sealing.seal(value, { account, field });

/** The headers to store. `true` keeps a stored value. */
function merge(
  input: Headers,
  stored: Readonly<Record<string, string>>,
  seal: (value: string, name: string) => string,
): Record<string, string> {
  const errors = Object.entries(input).flatMap(([name, value]) =>
    value === true && !Object.hasOwn(stored, name)
      ? [{ path: `headers.${name}`, message: 'has no stored value to keep: send the value' }]
      : [],
  );
  if (errors.length > 0) throw invalid(errors);
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, value === true ? (stored[name] ?? '') : seal(value, name)]),
  );
}
