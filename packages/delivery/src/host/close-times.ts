interface DeliveryTimes {
  readonly DELIVERY_TIMEOUT_MS: number;
}

/** Beyond the delivery's deadline: to hand over, and to close connections. Of a cluster's node that is away, each step waits 2 s for its answer. */
const CLOSE_GRACE_MS = 8000;
/** Beyond that: a moment for each part that is late, and for the last log lines. */
const EXIT_GRACE_MS = 2000;

/** How long the parts of a worker have to close: what is in flight may take as long as a delivery may. */
export const partsCloseTimeoutMs = ({ DELIVERY_TIMEOUT_MS }: DeliveryTimes): number =>
  DELIVERY_TIMEOUT_MS + CLOSE_GRACE_MS;

/** When a worker's process ends in any case: 15 s after it was told to, at the default deadline of 5 s. */
export const workerCloseTimeoutMs = (times: DeliveryTimes): number => partsCloseTimeoutMs(times) + EXIT_GRACE_MS;
