import type { RequestHandler, Router } from 'express';
import { campaignDestinationId, destinationSettingsInput } from '@mailhook/core';
import type { DestinationSettings, HeaderInput, Store, StoredDestinationSettings } from '@mailhook/core';
import { addRoute, invalid, parseOrThrow, pathParameter, ProblemError } from '@mailhook/platform/http-server';
import type { Sealing } from '@mailhook/platform/sealing';
import type { AccountReader } from '../accounts/account-reader.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { headersFor, originOf } from '../accounts/snapshot.ts';
import { accountOf } from '../auth/authenticate.ts';

/** How Mailhook calls a destination: a subscription id, or `campaign`. Rejects with a 404 or a 422. */
export interface DestinationSettingsApi {
  /** The settings of all destinations that have some. */
  list(account: string): Promise<ReadonlyMap<string, DestinationSettings>>;
  /** Shows names of headers, never their values. */
  read(account: string, destination: string): Promise<DestinationSettings>;
  /** Resolves with the new settings. Rejects with a 409 if another request has changed them at the same time. */
  write(account: string, destination: string, body: unknown): Promise<DestinationSettings>;
}

interface DestinationSettingsDeps {
  readonly store: Store;
  readonly reader: AccountReader;
  readonly writer: AccountWriter;
  readonly sealing: Pick<Sealing, 'seal'>;
}

export function createDestinationSettings(deps: DestinationSettingsDeps): DestinationSettingsApi {
  const { store, reader, writer, sealing } = deps;
  const find = async (account: string, destination: string) => {
    const address = await addressOf(deps, account, destination);
    const stored = (await store.listDestinationSettings(account)).find((one) => one.destination === destination);
    const { version = 0, maxRequestsPerSecond = null } = stored ?? {};
    return { address, version, headers: headersFor(stored, address), maxRequestsPerSecond };
  };
  return {
    async list(account) {
      const found = await store.listDestinationSettings(account);
      if (found.length === 0) return new Map();
      const [campaign, subscriptions] = await Promise.all([reader.campaign(account), reader.subscriptions(account)]);
      const addresses = new Map([
        ['campaign', campaign.address],
        ...subscriptions.map(({ id, address }) => [id, address] as const),
      ]);
      const shownHere = (one: StoredDestinationSettings): DestinationSettings =>
        shown({ ...one, headers: headersFor(one, addresses.get(one.destination) ?? null) });
      return new Map(found.map((one) => [one.destination, shownHere(one)]));
    },
    read: async (account, destination) => shown(await find(account, destination)),
    async write(account, destination, body) {
      const input = parseOrThrow(destinationSettingsInput, body);
      const { address, version, ...stored } = await find(account, destination);
      const { maxRequestsPerSecond = stored.maxRequestsPerSecond } = input;
      const headers =
        input.headers === undefined
          ? stored.headers
          : merge(input.headers, stored.headers, (value, field) => sealing.seal(value, { account, field }));
      const settings: StoredDestinationSettings = {
        ...{ account, destination, origin: originOf(address), version: version + 1 },
        ...{ headers, maxRequestsPerSecond },
      };
      const id = destination === 'campaign' ? campaignDestinationId(account) : destination;
      const isWritten = await writer.write(
        account,
        () => store.putDestinationSettings(settings),
        (written) => (written ? { saves: (record) => record.id === id } : undefined),
      );
      if (!isWritten) {
        throw new ProblemError('conflict', {
          detail: 'Another request has just changed these settings. Read them and try again.',
        });
      }
      return shown(settings);
    },
  };
}

/** Names the destination's address, or null if a campaign webhook has none. */
async function addressOf(
  { reader }: DestinationSettingsDeps,
  account: string,
  destination: string,
): Promise<string | null> {
  if (destination === 'campaign') return (await reader.campaign(account)).address;
  const found = (await reader.subscriptions(account)).find(({ id }) => id === destination);
  if (found === undefined) {
    throw new ProblemError('not_found', {
      detail: 'Your account has no destination with this id. Use the id of a subscription, or “campaign”.',
    });
  }
  return found.address;
}

const shown = ({
  headers,
  maxRequestsPerSecond,
}: Pick<StoredDestinationSettings, 'headers' | 'maxRequestsPerSecond'>): DestinationSettings => ({
  headers: Object.fromEntries(Object.keys(headers).map((name) => [name, true as const])),
  maxRequestsPerSecond,
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

export function addDestinationSettingsRoutes(
  router: Router,
  before: readonly RequestHandler[],
  { destinationSettings }: { readonly destinationSettings: DestinationSettingsApi },
): void {
  const get: RequestHandler = async (request, response) => {
    response.json(await destinationSettings.read(accountOf(response), pathParameter(request, 'id')));
  };
  const put: RequestHandler = async (request, response) => {
    response.json(await destinationSettings.write(accountOf(response), pathParameter(request, 'id'), request.body));
  };
  addRoute(router, '/v3/webhook/destinations/:id/settings', { get: [...before, get], put: [...before, put] });
}
