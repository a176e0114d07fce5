interface DeliveryTimes {
  readonly DELIVERY_TIMEOUT_MS: number;
}

/**
 * Time after the delivery deadline to release destinations and close connections. Each step waits 2 s for a cluster
 * node that is away.
 */
const CLOSE_GRACE_MS = 8000;
/** Further time for late parts and for the last log lines. */
const EXIT_GRACE_MS = 2000;

/** Time for the parts of a worker to close. Requests in flight may take until the delivery deadline. */
export const partsCloseTimeoutMs = ({ DELIVERY_TIMEOUT_MS }: DeliveryTimes): number =>
  DELIVERY_TIMEOUT_MS + CLOSE_GRACE_MS;

/** Time after which a stopping worker's process ends in any case: 15 s at the default delivery deadline of 5 s. */
export const workerCloseTimeoutMs = (times: DeliveryTimes): number => partsCloseTimeoutMs(times) + EXIT_GRACE_MS;
