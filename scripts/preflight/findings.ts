import type { RedisFinding } from '@mailhook/platform/redis';
import type { Series } from '../monitoring/scrape.ts';
import { operationsAddresses, privateDestinations, publicPort, storedSecrets, tokens } from './access-findings.ts';
import type { Facts, ServiceFacts } from './facts.ts';
import type { Finding } from './finding.ts';
import { finding, label, numberOf, values } from './finding.ts';

type Judge = (facts: Facts) => Finding | readonly Finding[];

/** Judges an installation, in the order of the list in docs/operations.md. */
export const judge = (facts: Facts): Finding[] => JUDGES.flatMap((one) => one(facts));

/** The series of the first operations port, which is the api's and reports on the whole installation. */
const api = ({ services }: Facts): readonly Series[] => services[0]?.series ?? [];

const notReported = (check: string): Finding =>
  finding(check, 'unknown', 'the api does not report it', 'see that --ops-url leads to the api\u2019s operations port');

function ofService({ url, fault, notReady }: ServiceFacts): Finding {
  const check = `${url} is ready`;
  if (fault !== undefined) return finding(check, 'fail', fault, 'start it, or correct --ops-url');
  if (notReady.length === 0) return finding(check, 'pass', 'ready');
  return finding(check, 'fail', notReady.join('; '), 'see MailhookNotReady in docs/runbook.md');
}

function workers(facts: Facts): Finding[] {
  return ['transactional', 'campaign'].map((kind) => {
    const check = `${kind} workers are at work`;
    const count = values(api(facts), 'mailhook_workers').find(({ labels }) => labels.get('kind') === kind)?.value;
    if (count === undefined) return notReported(check);
    if (count === 0)
      return finding(check, 'fail', 'none has a current heartbeat', 'see MailhookNoWorker in docs/runbook.md');
    const isOne = count === 1;
    return finding(check, isOne ? 'warn' : 'pass', String(count), 'run two, so that one may go');
  });
}

function versions({ services }: Facts): Finding {
  const found = [...new Set(services.map(({ series }) => label(series, 'mailhook_info', 'version') ?? 'unknown'))];
  const isOne = found.length === 1 && found[0] !== 'unknown';
  return finding('one version everywhere', isOne ? 'pass' : 'warn', found.join(', '), 'finish the upgrade');
}

/** Judges the settings of every master, because each master of a cluster has separate settings. */
function redisSettings(facts: Facts): Finding[] {
  const masters = values(api(facts), 'mailhook_redis_settings').map(({ labels }) => labels);
  if (masters.length === 0) return [notReported('Redis keeps what was accepted')];
  const read = (name: string): string[] => [...new Set(masters.map((labels) => labels.get(name) ?? ''))];
  const [policies, appendonly, versions] = [read('policy'), read('appendonly'), read('version')];
  return [
    finding(
      'Redis never evicts',
      policies.every((policy) => policy === 'noeviction') ? 'pass' : 'fail',
      `maxmemory-policy ${policies.join(', ')}`,
      'CONFIG SET maxmemory-policy noeviction, and in its file',
    ),
    finding(
      'Redis writes an append-only file',
      appendonly.every((one) => one === 'yes') ? 'pass' : 'fail',
      `appendonly ${appendonly.join(', ')}`,
      'CONFIG SET appendonly yes, and in its file',
    ),
    syncPolicy(read('appendfsync')),
    finding(
      'Redis is new enough',
      versions.every((version) => Number(version.split('.')[0]) >= 7) ? 'pass' : 'fail',
      `version ${versions.join(', ')}`,
      'Mailhook needs Redis 7.0 or newer',
    ),
  ];
}

function syncPolicy(policies: readonly string[]): Finding {
  const check = 'Redis syncs its append-only file';
  if (policies.includes('')) return notReported(check);
  if (policies.includes('no'))
    return finding(check, 'fail', 'appendfsync no', 'CONFIG SET appendfsync everysec, and in its file');
  if (policies.includes('unknown'))
    return finding(check, 'unknown', 'Redis forbids CONFIG', 'make sure that appendfsync is everysec or always');
  return finding(check, 'pass', `appendfsync ${policies.join(', ')}`);
}

function redisDisk(facts: Facts): Finding {
  const check = 'Redis can write to its disk';
  const tasks = values(api(facts), 'mailhook_redis_disk_failing');
  if (tasks.length === 0) return notReported(check);
  const failing = tasks.filter(({ value }) => value === 1).map(({ labels }) => labels.get('what') ?? '');
  const verdict = failing.includes('write') ? 'fail' : failing.length > 0 ? 'warn' : 'pass';
  const found = failing.length === 0 ? 'no error' : `failing: ${failing.join(', ')}`;
  return finding(check, verdict, found, 'see MailhookRedisCannotWrite in docs/runbook.md');
}

function redisMemory(facts: Facts): Finding[] {
  const limit = numberOf(api(facts), 'mailhook_redis_memory_limit_bytes');
  const headroom = numberOf(api(facts), 'mailhook_redis_memory_headroom_ratio');
  const replicas = numberOf(api(facts), 'mailhook_redis_replicas');
  if (limit === undefined || headroom === undefined) return [notReported('Redis has a limit and room')];
  const free = `${Math.round(headroom * 100)} % of maxmemory is free`;
  return [
    limit === 0
      ? finding(
          'Redis has a limit',
          'fail',
          'no maxmemory',
          'set maxmemory below what the machine has: without it Redis is killed instead of the api saying 503',
        )
      : finding('Redis has a limit', 'pass', `maxmemory ${Math.round(limit / 2 ** 20)} MiB`),
    limit === 0
      ? finding('Redis has room', 'unknown', 'no maxmemory', 'set maxmemory')
      : finding(
          'Redis has room',
          headroom < 0.12 ? 'fail' : headroom < 0.3 ? 'warn' : 'pass',
          free,
          'see MailhookRedisNearlyFull in docs/runbook.md',
        ),
    finding(
      'Redis has a replica',
      (replicas ?? 0) > 0 ? 'pass' : 'warn',
      `${replicas ?? 0} replicas`,
      'without one, mail waits until this Redis, or its disk, is back',
    ),
  ];
}

function redisDirectly({ redisFindings }: Facts): Finding {
  const check = 'Redis itself says so';
  if (redisFindings === undefined) return finding(check, 'unknown', 'not asked', 'give --redis-url');
  if (redisFindings.length === 0)
    return finding(check, 'pass', 'noeviction, append-only file, appendfsync, no save points, disk, version');
  const found = redisFindings.map(({ text }) => text).join(' ');
  const has = (wanted: RedisFinding['severity']): boolean => redisFindings.some(({ severity }) => severity === wanted);
  if (has('fault')) return finding(check, 'fail', found, 'set it so, and in its file');
  if (has('risk')) return finding(check, 'warn', found, "CONFIG SET save '', and in its file");
  return finding(check, 'unknown', found, 'ask the provider of this Redis');
}

/** Only a warning, because events are as safe without it. */
function compression({ listCompressDepths: depths }: Facts): Finding {
  const check = 'Redis compresses waiting events';
  const known = depths.filter((depth) => depth !== undefined);
  if (known.length === 0)
    return finding(
      check,
      'unknown',
      depths.length === 0 ? 'not asked' : 'Redis forbids CONFIG',
      'set list-compress-depth to 1',
    );
  return finding(
    check,
    known.includes('0') ? 'warn' : 'pass',
    `list-compress-depth ${[...new Set(known)].join(', ')}`,
    'CONFIG SET list-compress-depth 1, and in its file: a backlog takes a third of the memory',
  );
}

function store(facts: Facts): Finding {
  const check = 'accounts and subscriptions can be read';
  const kept = label(api(facts), 'mailhook_info', 'store') ?? '';
  const { accountsStatus: status } = facts;
  if (status === undefined) return finding(check, 'unknown', 'not asked', 'give --admin-token, or ADMIN_TOKEN');
  if (status === 401 || status === 403)
    return finding(check, 'fail', 'the admin token is refused', 'give the one that the api has');
  if (status !== 200) return finding(check, 'fail', `the api answers ${status}`, 'check MongoDB and MONGO_URL');
  return finding(
    check,
    kept === 'mongodb' ? 'pass' : 'warn',
    `kept in ${kept}`,
    'set MONGO_URL: a backup of Redis is harder',
  );
}

function waiting(facts: Facts): Finding[] {
  const readySeconds = Math.max(0, ...values(api(facts), 'mailhook_oldest_ready_seconds').map(({ value }) => value));
  const dead = values(api(facts), 'mailhook_dead_letters').reduce((sum, { value }) => sum + value, 0);
  if (values(api(facts), 'mailhook_dead_letters').length === 0) return [notReported('nothing is stuck')];
  return [
    finding(
      'no events wait for a worker',
      readySeconds > 60 ? 'fail' : 'pass',
      `the oldest for ${Math.round(readySeconds)} s`,
      'see MailhookMailStuck in docs/runbook.md',
    ),
    finding(
      'there are no dead letters',
      dead > 0 ? 'warn' : 'pass',
      String(dead),
      'see MailhookDeadLetters in docs/runbook.md',
    ),
  ];
}

function clocks({ services }: Facts): Finding[] {
  return services.map(({ url, series }) => {
    const check = `the clocks of ${url} and Redis agree`;
    const skew = numberOf(series, 'mailhook_redis_clock_skew_seconds');
    if (skew === undefined) return finding(check, 'unknown', 'it does not tell', 'upgrade it');
    return finding(
      check,
      Math.abs(skew) > 2 ? 'fail' : 'pass',
      `${Math.abs(skew).toFixed(3)} s apart`,
      'bring the time service up',
    );
  });
}

const JUDGES: readonly Judge[] = [
  ({ services }) => services.map(ofService),
  workers,
  versions,
  redisSettings,
  redisDisk,
  redisMemory,
  redisDirectly,
  compression,
  store,
  tokens,
  storedSecrets,
  privateDestinations,
  operationsAddresses,
  publicPort,
  waiting,
  clocks,
];
