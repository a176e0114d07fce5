import {
  destinationHealthOf,
  destinationIdOf,
  KINDS,
  NO_DELIVERIES,
  rangeSpan,
  recentOf,
  UNROUTED_TYPES,
} from '@mailhook/core';
import type { CustomerServices, DestinationStatus, DestinationView, ShownDestination } from '@mailhook/core';
import { filteredId, unroutedId } from '@mailhook/delivery';
import { unroutedIn } from '@mailhook/insight';
import type { DeliveryHistory, ReadDestinations } from '@mailhook/insight';
import type { AccountReader } from '../accounts/account-reader.ts';

interface DestinationStatusesDeps {
  readonly reader: AccountReader;
  readonly readDestinations: ReadDestinations;
  readonly history: DeliveryHistory;
}

type Statuses = Pick<CustomerServices['destinations'], 'list' | 'settings' | 'of' | 'withoutDestination'>;

export function createDestinationStatuses({ reader, readDestinations, history }: DestinationStatusesDeps): Statuses {
  const of: Statuses['of'] = async (account, settings) => {
    const idOf = ({ id }: ShownDestination): string => destinationIdOf(account, id);
    const counted = settings.filter(({ filter }) => filter !== null).map((one) => filteredId(idOf(one)));
    const nowMs = Date.now();
    const [views, filtered] = await Promise.all([
      readDestinations(
        account,
        settings.map((one) => ({ id: idOf(one), kind: KINDS[one.module] })),
      ),
      counted.length === 0 ? undefined : history.read(account, counted, nowMs, rangeSpan('1h', nowMs)),
    ]);
    return settings.map((setting) => {
      const id = idOf(setting);
      const bars = filtered?.get(filteredId(id)) ?? [];
      const status = statusOf(setting, views.get(id));
      if (setting.filter === null) return status;
      return { ...status, lastHour: { ...status.lastHour, filtered: bars.reduce((sum, bar) => sum + bar.events, 0) } };
    });
  };
  const settings = (account: string) => reader.destinations(account);
  return {
    of,
    settings,
    list: async (account) => of(account, await settings(account)),
    withoutDestination: async (account) => {
      const ids = UNROUTED_TYPES.map((type) => unroutedId(account, type));
      return unroutedIn(await history.read(account, ids, Date.now()), account);
    },
  };
}

function statusOf(setting: ShownDestination, view: DestinationView | undefined): DestinationStatus {
  const { goneAt, ...shown } = setting;
  const lastHour = view?.lastHour ?? NOTHING;
  const state = destinationHealthOf({
    isActive: setting.active,
    isGone: setting.inactiveReason !== undefined,
    held: view?.state === 'paused' || view?.state === 'parked' ? view.state : undefined,
    failures: view?.failures ?? 0,
    lastHour,
    isTried: view?.isTried ?? false,
  });
  return {
    ...shown,
    destination: setting.id,
    kind: KINDS[setting.module],
    state,
    waiting: view?.undelivered ?? 0,
    resends: view?.resends ?? 0,
    failures: view?.failures ?? 0,
    lastHour,
    ...timesOf(view),
    ...(goneAt === undefined ? {} : { goneAt }),
    ...(view?.lastError === undefined ? {} : { lastError: view.lastError }),
  };
}

const NOTHING = recentOf(NO_DELIVERIES);

function timesOf(view: DestinationView | undefined): Partial<DestinationStatus> {
  const { oldestWaitingAt, parkedUntil, pausedUntil, pausedBy } = view ?? {};
  const nextAttemptAt = [parkedUntil, view?.nextResendAt].filter((time) => time !== undefined).sort()[0];
  return {
    ...(oldestWaitingAt === undefined ? {} : { oldestWaitingAt }),
    ...(nextAttemptAt === undefined ? {} : { nextAttemptAt }),
    ...(parkedUntil === undefined ? {} : { parkedUntil }),
    ...(pausedUntil === undefined ? {} : { pausedUntil }),
    ...(pausedBy === undefined ? {} : { pausedBy }),
  };
}
