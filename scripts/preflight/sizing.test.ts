import { readScrape } from '../monitoring/scrape.ts';
import type { ServiceFacts } from './facts.ts';
import { redisSizing } from './sizing.ts';

const NOW_MS = 2_000_000_000_000;
const GIB = 2 ** 30;

/** An api that has accepted events for 1,000 s. */
function apiWith(accepted: number, limit: number): ServiceFacts {
  const text = `mailhook_events_accepted_total{kind="campaign"} ${accepted - 1000}
mailhook_events_accepted_total{kind="transactional"} 1000
process_start_time_seconds ${NOW_MS / 1000 - 1000}
mailhook_redis_memory_limit_bytes ${limit}
`;
  return { url: '', fault: undefined, notReady: [], series: readScrape(text), publicAddresses: [] };
}

test.each([
  [100_000, GIB, 'pass', '100.0 events/s since its start need 353 of 1024 MiB'],
  [300_000, GIB, 'warn', '300.0 events/s since its start need 1059 of 1024 MiB'],
  [300_000, 4 * GIB, 'pass', '300.0 events/s since its start need 1059 of 4096 MiB'],
  [1000, 0, 'unknown', 'no maxmemory'],
])('%d events in 1,000 s with maxmemory %d', (accepted, limit, verdict, found) => {
  expect(redisSizing({ services: [apiWith(accepted, limit)] }, NOW_MS)).toMatchObject({ verdict, found });
});

test('the rates of several apis are added', () => {
  const services = [apiWith(100_000, GIB), apiWith(50_000, GIB)];
  expect(redisSizing({ services }, NOW_MS).found).toContain('150.0 events/s');
});

test('an api that does not answer is not judged', () => {
  const services = [{ ...apiWith(1, 1), series: [] }];
  expect(redisSizing({ services }, NOW_MS)).toMatchObject({ verdict: 'unknown' });
});
