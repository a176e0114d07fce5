import { coded, NO_LIMITS, VERSION_1_REQUESTS, OPERATIONS_ACCOUNT, OPERATIONS_DESTINATION } from '@mailhook/core';
import { createDestinationRegistry, createOperationsPublisher } from '@mailhook/delivery';
import type { Installation } from '@mailhook/delivery';
import { createDeadLetterTimes, createReadDestinations } from '@mailhook/insight';
import { createSealing, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { MessageListener } from './message-listener.ts';

const OPERATIONS = {
  id: OPERATIONS_DESTINATION,
  kind: 'transactional',
  account: OPERATIONS_ACCOUNT,
  headers: {},
  limits: NO_LIMITS,
  ...VERSION_1_REQUESTS.transactional,
} as const;

/** With more undelivered messages, checks wait. What has changed meanwhile is announced later. */
const WAITING_MAX = 10_000;

/** The operations webhook. `url` and `secret` are `OPERATIONS_WEBHOOK_URL` and `_SECRET`. */
export function createWebhookListener(
  installation: Installation,
  { url, secret }: { readonly url: string; readonly secret: string },
): MessageListener {
  const messages = createOperationsPublisher(installation);
  const registry = createDestinationRegistry(installation);
  let version: number | undefined;
  return {
    /**
     * Writes the destination's record. Its version is the time of this process's start, so the settings that started
     * last win, and a start activates the destination again after a 410.
     */
    async prepare() {
      version ??= await redisTimeMs(installation);
      await registry.save({
        ...OPERATIONS,
        address: url,
        active: true,
        inactiveReason: null,
        version,
        // The variable is not encrypted either.
        secrets: [createSealing([]).seal(secret, { account: OPERATIONS_ACCOUNT, field: SIGNING_SECRET })],
      });
    },
    isBehind: async () => (await messages.countWaiting()) >= WAITING_MAX,
    publish: (list) => messages.publish(list),
  };
}

/** Switches off the destination of earlier settings. Its waiting messages become dead letters. */
export async function retireWebhook(installation: Installation): Promise<void> {
  const readDestinations = createReadDestinations(installation);
  const view = (await readDestinations(OPERATIONS_ACCOUNT, [OPERATIONS])).get(OPERATIONS_DESTINATION);
  if (view === undefined || view.state === 'inactive') return;
  await createDestinationRegistry(installation).save({
    ...OPERATIONS,
    address: view.address,
    active: false,
    inactiveReason: coded('operations-off').packed,
    version: await redisTimeMs(installation),
    secrets: [],
  });
}

const redisTimeMs = async (installation: Installation): Promise<number> =>
  (await createDeadLetterTimes(installation)[0]?.nowMs()) ?? 0;
