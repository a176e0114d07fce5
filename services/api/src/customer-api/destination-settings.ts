import { isDeepStrictEqual } from 'node:util';
import { limitsOf } from '@mailhook/core';
import type {
  VersionedSettings,
  DestinationSettings,
  HeaderInput,
  StoredDestinationSettings,
  CustomerServices,
} from '@mailhook/core';
import { invalid, versionOf } from '@mailhook/platform/http-server';
import type { Sealing } from '@mailhook/platform/sealing';
import { outdated, refuseOutdated } from '../accounts/change-account.ts';
import { changeSettings, findSettings, settingsIn } from './stored-settings.ts';
import type { StoredSettingsDeps } from './stored-settings.ts';

interface DestinationSettingsDeps extends StoredSettingsDeps {
  readonly sealing: Pick<Sealing, 'seal'>;
}

export function createDestinationSettings(deps: DestinationSettingsDeps): CustomerServices['destinationSettings'] {
  const { store, writer, sealing } = deps;
  return {
    async list(account) {
      const found = await store.load(account);
      if (found === undefined) return new Map();
      const addresses = [
        ['campaign', found.campaign.address],
        ...found.subscriptions.map(({ id, address }) => [id, address]),
      ] as const;
      return new Map(addresses.map(([id, address]) => [id, versioned(settingsIn(found, id, address))]));
    },
    read: async (account, destination) => versioned(await findSettings(store, account, destination)),
    async write(account, destination, input, onUnchanged, ifVersion) {
      const stored = await findSettings(store, account, destination);
      const refusal = refuseOutdated(visible(stored), ifVersion);
      if (refusal !== undefined) throw refusal;
      const limits = limitsOf(input, stored.limits);
      const seal = (value: string, field: string): string => sealing.seal(value, { account, field });
      const headers = input.headers === undefined ? stored.headers : merge(input.headers, stored.headers, seal);
      const headersVersion = stored.headersVersion + (isDeepStrictEqual(headers, stored.headers) ? 0 : 1);
      const change = { headers, headersVersion, limits };
      const changed = await changeSettings(writer, account, stored, change, ifVersion && outdated());
      if (isDeepStrictEqual(Object.assign({}, changed, { version: stored.version }), stored)) onUnchanged();
      return shown(changed);
    },
  };
}

const shown = ({ headers, limits }: Pick<StoredDestinationSettings, 'headers' | 'limits'>): DestinationSettings => ({
  headers: Object.fromEntries(Object.keys(headers).map((name) => [name, true as const])),
  ...limits,
});

/** What a reader sees, and which of the values that nobody sees. */
const visible = ({ headersVersion, ...stored }: StoredDestinationSettings) => ({ ...shown(stored), headersVersion });

const versioned = (stored: StoredDestinationSettings): VersionedSettings => ({
  ...shown(stored),
  version: versionOf(visible(stored)),
});

/** The headers to store. `true` keeps a stored value. */
function merge(
  input: Readonly<Record<string, HeaderInput>>,
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
