import { campaignDestinationId, destinationHealthOf, NO_DELIVERIES, recentOf, UNROUTED_TYPES } from '@mailhook/core';
import type { DestinationStatus, DestinationView, CustomerServices } from '@mailhook/core';
import { unroutedId } from '@mailhook/delivery';
import { unroutedIn } from '@mailhook/insight';
import type { AttemptLog, DeliveryHistory, ReadDestinations } from '@mailhook/insight';

interface DestinationStatusesDeps {
  readonly readDestinations: ReadDestinations;
  readonly attempts: Pick<AttemptLog, 'goneSince'>;
  readonly history: DeliveryHistory;
  readonly campaign: Pick<CustomerServices['campaign'], 'read'>;
  readonly subscriptions: Pick<CustomerServices['subscriptions'], 'list'>;
}

export function createDestinationStatuses(deps: DestinationStatusesDeps): CustomerServices['destinations'] {
  const of: CustomerServices['destinations']['of'] = async (account, { campaign, subscriptions }) => {
    const inactive = subscriptions.filter(({ active }) => !active).map(({ id }) => id);
    const settings = [
      ...(campaign.address === null
        ? []
        : [{ ...campaign, address: campaign.address, id: campaignDestinationId(account) }]),
      ...subscriptions,
    ].map((setting) => ({ ...setting, kind: 'type' in setting ? ('transactional' as const) : ('campaign' as const) }));
    const [views, goneSince] = await Promise.all([
      deps.readDestinations(account, settings),
      // A subscription does not record why it is off, so the reason comes from its newest attempt.
      inactive.length === 0 ? new Map<string, string>() : deps.attempts.goneSince(account, inactive),
    ]);
    return settings.map((setting) => {
      const goneAt = setting.active ? undefined : goneSince.get(setting.id);
      const isGone = goneAt !== undefined || ('inactiveReason' in setting && setting.inactiveReason !== undefined);
      const view = views.get(setting.id);
      return {
        destination: setting.kind === 'campaign' ? 'campaign' : setting.id,
        kind: setting.kind,
        address: setting.address,
        state: destinationHealthOf({
          isActive: setting.active,
          isGone,
          held: view?.state === 'paused' || view?.state === 'parked' ? view.state : undefined,
          failures: view?.failures ?? 0,
          lastHour: view?.lastHour ?? NOTHING,
          isTried: view?.isTried ?? false,
        }),
        waiting: view?.undelivered ?? 0,
        resends: view?.resends ?? 0,
        failures: view?.failures ?? 0,
        lastHour: view?.lastHour ?? NOTHING,
        ...timesOf(view),
        ...(goneAt === undefined ? {} : { goneAt }),
        ...(view?.lastError === undefined ? {} : { lastError: view.lastError }),
      };
    });
  };
  return {
    of,
    withoutDestination: async (account) => {
      const ids = UNROUTED_TYPES.map((type) => unroutedId(account, type));
      return unroutedIn(await deps.history.read(account, ids, Date.now()), account);
    },
    list: async (account) => {
      const [campaign, subscriptions] = await Promise.all([
        deps.campaign.read(account),
        deps.subscriptions.list(account),
      ]);
      return of(account, { campaign, subscriptions });
    },
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
