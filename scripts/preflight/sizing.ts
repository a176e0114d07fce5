import type { Facts } from './facts.ts';
import type { Finding } from './finding.ts';
import { finding, numberOf, values } from './finding.ts';

/** Bytes of Redis per event, and how long they stay: docs/scaling.md. */
const ID = { bytes: 19, seconds: (86_400 * 4) / 3 };
const WAITING = { bytes: 105, seconds: 4 * 3600 };
/** Intake refuses events at 90 %, and the rest of Redis needs room too. */
const SHARE_MAX = 0.75;
const MIB = 2 ** 20;

const CHECK = 'Redis holds the ids of a day and four hours of standstill';

/** Whether Redis has the memory for the events that the installation accepts, on average since the api's start. */
export function redisSizing({ services }: Pick<Facts, 'services'>, nowMs = Date.now()): Finding {
  const rates = services.flatMap(({ series }) => {
    const counts = values(series, 'mailhook_events_accepted_total');
    const startedAt = numberOf(series, 'process_start_time_seconds');
    // An api that has accepted nothing has no series.
    if (startedAt === undefined) return [];
    const accepted = counts.reduce((sum, { value }) => sum + value, 0);
    return [accepted / Math.max(1, nowMs / 1000 - startedAt)];
  });
  const limit = numberOf(services[0]?.series ?? [], 'mailhook_redis_memory_limit_bytes');
  if (rates.length === 0 || limit === undefined)
    return finding(CHECK, 'unknown', 'the api does not report it', 'give the api\u2019s operations port first');
  if (limit === 0) return finding(CHECK, 'unknown', 'no maxmemory', 'set maxmemory');
  const perSecond = rates.reduce((sum, rate) => sum + rate, 0);
  const bytes = perSecond * (ID.bytes * ID.seconds + WAITING.bytes * WAITING.seconds);
  return finding(
    CHECK,
    bytes > limit * SHARE_MAX ? 'warn' : 'pass',
    `${perSecond.toFixed(1)} events/s since its start need ${Math.ceil(bytes / MIB)} of ${Math.round(limit / MIB)} MiB`,
    'raise maxmemory, or lower EVENT_ID_WINDOW: docs/scaling.md has the sizes',
  );
}
