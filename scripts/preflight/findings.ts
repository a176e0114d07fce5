import { judgeSetting, settingCommand, WANTED_SETTINGS } from '@mailhook/platform/redis';
import type { RedisSettings } from '@mailhook/platform/redis';
import type { Series } from '../monitoring/scrape.ts';
import { operationsAddresses, privateDestinations, publicPort, storedSecrets, tokens } from './access-findings.ts';
import type { Facts, ServiceFacts } from './facts.ts';
import type { Finding } from './finding.ts';
import { finding, label, numberOf, values } from './finding.ts';
import { redisSizing } from './sizing.ts';

/** A day of 200 events per second. */
const LOG_FREE_BYTES_MIN = 2 ** 30;
/** Long before an hour, from which on nothing is deleted. */
const LOG_SKEW_MAX_S = 60;

type Judge = (facts: Facts) => Finding | readonly Finding[];

/** Judges an installation, in the order of the list in docs/operations.md. */
export const judge = (facts: Facts): Finding[] => JUDGES.flatMap((one) => one(facts));

/** The series of the first operations port, which is the api's and reports on the whole installation. */
const api = ({ services }: Facts): readonly Series[] => services[0]?.series ?? [];

const notReported = (check: string): Finding =>
  finding(
    check,
    'unknown',
    'the api does not report it',
    'give the api\u2019s operations port as the first --ops-url, and see that the api is ready',
  );

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
  const isOne = found.length === 1;
  const check = 'one version everywhere';
  if (found.includes('unknown')) return finding(check, 'unknown', found.join(', '), 'see that each --ops-url answers');
  return finding(check, isOne ? 'pass' : 'warn', found.join(', '), 'finish the upgrade');
}

const REDIS_FIX = 'start it, or correct --redis-url, its user and its password';

const notAsked = (check: string, fault: string | undefined): Finding =>
  fault === undefined
    ? finding(check, 'unknown', 'not asked', 'give --redis-url')
    : finding(check, 'unknown', 'Redis did not answer', REDIS_FIX);

const VERDICTS = { good: 'pass', fault: 'fail', risk: 'warn', unchecked: 'unknown' } as const;

/**
 * Judges the settings of every master, because each master of a cluster has separate settings. The api reports some of
 * them, Redis itself all.
 */
function redisSettings(facts: Facts): Finding[] {
  const { redis } = facts;
  const reported = values(api(facts), 'mailhook_redis_settings');
  const failed = typeof redis === 'string' ? [finding('Redis answers', 'fail', redis, REDIS_FIX)] : [];
  const settings = WANTED_SETTINGS.map((wanted): Finding => {
    const { name, label: metricLabel, check } = wanted;
    const isAsked = typeof redis === 'object';
    if (!isAsked && metricLabel === undefined) return notAsked(check, redis);
    const masters = isAsked ? redis : reported.map(({ labels }) => settingsOf(labels));
    if (masters.length === 0) return notReported(check);
    const judged = masters.map((one) => judgeSetting(wanted, one));
    const worst = (['fault', 'risk', 'unchecked', 'good'] as const).find((one) => judged.includes(one)) ?? 'good';
    if (worst === 'unchecked')
      return finding(check, 'unknown', 'Redis does not show it', `make sure that ${name} is ${wanted.wanted}`);
    const found = [...new Set(masters.map((one: RedisSettings) => shown(one[name])))].join(', ');
    const fix = name === 'version' ? settingCommand(wanted) : `${settingCommand(wanted)}, and in its file`;
    return finding(check, VERDICTS[worst], `${name} ${found}`, fix);
  });
  return [...failed, ...settings];
}

/** The settings that the api reports of one master. */
const settingsOf = (labels: ReadonlyMap<string, string>): RedisSettings =>
  Object.fromEntries(WANTED_SETTINGS.map(({ name, label = '' }) => [name, known(labels.get(label))]));

const shown = (value = 'unknown'): string => (value === '' ? "''" : value);
const known = (value: string | undefined): string | undefined => (value === 'unknown' ? undefined : value);

/** The services ask for this rewrite, so it is missing only where they may not, or where it fails. */
function redisFile({ redis }: Facts): Finding {
  const check = 'Redis has rewritten its file since its start';
  if (typeof redis !== 'object') return notAsked(check, redis);
  const files = redis.filter(({ appendonly }) => appendonly === 'yes');
  if (files.some((one) => one.aof_last_bgrewrite_status === 'err'))
    return finding(check, 'fail', 'the last rewrite failed', 'see MailhookRedisRewriteFailing in docs/runbook.md');
  const isMissing = files.some((one) => one.aof_rewrites === '0');
  const found = isMissing ? 'not rewritten' : 'rewritten, or no file';
  return finding(check, isMissing ? 'warn' : 'pass', found, 'BGREWRITEAOF, now and after each start of Redis');
}

function redisMemory(facts: Facts): Finding[] {
  const limit = numberOf(api(facts), 'mailhook_redis_memory_limit_bytes');
  const replicas = numberOf(api(facts), 'mailhook_redis_replicas');
  if (limit === undefined) return [notReported('Redis has a limit')];
  return [
    limit === 0
      ? finding(
          'Redis has a limit',
          'fail',
          'no maxmemory',
          'set maxmemory below what the machine has: without it Redis is killed instead of the api saying 503',
        )
      : finding('Redis has a limit', 'pass', `maxmemory ${Math.round(limit / 2 ** 20)} MiB`),
    finding(
      'Redis has a replica',
      (replicas ?? 0) > 0 ? 'pass' : 'warn',
      `${replicas ?? 0} replicas`,
      'add one: without it, events wait until this Redis, or its disk, is back',
    ),
  ];
}

function store(facts: Facts): Finding {
  const check = 'accounts and subscriptions can be read';
  const kept = label(api(facts), 'mailhook_info', 'store') ?? '';
  const { accountsStatus: status, targets } = facts;
  if (targets.adminToken === undefined)
    return finding(check, 'unknown', 'not asked', 'give --admin-token, or ADMIN_TOKEN');
  if (status === undefined) return finding(check, 'fail', 'the api does not answer', 'start it, or correct --ops-url');
  // A valid token passes also after too many failed sign-ins.
  if (status === 401 || status === 403 || status === 429)
    return finding(check, 'fail', 'the admin token is refused', 'give the one that the api has');
  if (status === 404) return finding(check, 'fail', 'it has no admin API', 'give the api as the first --ops-url');
  const fix = kept === 'mongodb' ? 'check MongoDB and MONGO_URL' : 'see that the api is ready';
  if (status !== 200) return finding(check, 'fail', `the api answers ${status}`, fix);
  return finding(
    check,
    kept === 'mongodb' ? 'pass' : 'warn',
    `kept in ${kept}`,
    'set MONGO_URL: a backup of Redis is harder',
  );
}

/** Nothing without an event log, and no free space of a bucket. */
function eventLog(facts: Facts): Finding[] {
  const usable = numberOf(api(facts), 'mailhook_event_log_store_usable');
  if (usable === undefined) return [];
  const check = 'the store of the event log takes and gives';
  if (usable === 0)
    return [finding(check, 'fail', 'it does not', 'let the api put, read, list and delete there (EVENT_LOG)')];
  const free = numberOf(api(facts), 'mailhook_event_log_free_bytes');
  const skew = numberOf(api(facts), 'mailhook_event_log_clock_skew_seconds') ?? 0;
  const keeps = numberOf(api(facts), 'mailhook_event_log_keeps_deleted');
  const found = free === undefined ? 'a bucket' : `${(free / 2 ** 30).toFixed(1)} GiB free`;
  const isSmall = free !== undefined && free < LOG_FREE_BYTES_MIN;
  return [
    finding(check, isSmall ? 'warn' : 'pass', found, 'give it a larger disk: see the sizes in docs/scaling.md'),
    finding(
      'the store of the event log deletes what it is asked to',
      keeps === undefined ? 'unknown' : keeps === 1 ? 'warn' : 'pass',
      keeps === undefined ? 'it does not say' : keeps === 1 ? 'versions or a lock keep it' : 'no versions, no lock',
      'switch versions and locks of the bucket off, or let earlier versions go within the retention',
    ),
    finding(
      'the clocks of the event log and its store agree',
      Math.abs(skew) > LOG_SKEW_MAX_S ? 'fail' : 'pass',
      `${Math.abs(skew).toFixed(1)} s apart`,
      'bring the time service up: beyond an hour, nothing is deleted for its age',
    ),
  ];
}

/** The preflight judges these itself, for each process and each master. */
const JUDGED_HERE: readonly (string | undefined)[] = [
  'MailhookNotReady',
  'MailhookNoWorker',
  'MailhookRedisUnsafe',
  'MailhookClockSkew',
];

/** The operators' overview has the same list. */
function reportedFindings({ reported, targets }: Facts): Finding[] {
  const check = 'the api reports nothing that needs an operator';
  if (reported === undefined && targets.adminToken === undefined)
    return [finding(check, 'unknown', 'not asked', 'give --admin-token, or ADMIN_TOKEN')];
  if (reported === undefined)
    return [finding(check, 'unknown', 'its overview could not be read', 'see whether the accounts can be read')];
  const others = reported.filter(({ alert }) => !JUDGED_HERE.includes(alert));
  if (others.length === 0) return [finding(check, 'pass', 'nothing')];
  return others.map(({ tone, text, alert, runbook }) => {
    const fix = alert ?? runbook;
    const see = fix === undefined ? 'see the overview' : `see ${fix} in docs/runbook.md`;
    return finding(check, tone === 'bad' ? 'fail' : 'warn', text, see);
  });
}

function clocks({ services }: Facts): Finding[] {
  return services.map(({ url, series }) => {
    const check = `the clocks of ${url} and Redis agree`;
    const skew = numberOf(series, 'mailhook_redis_clock_skew_seconds');
    if (skew === undefined) return finding(check, 'unknown', 'it does not report it', 'see that it is ready');
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
  redisFile,
  redisMemory,
  (facts) => redisSizing(facts),
  store,
  tokens,
  storedSecrets,
  privateDestinations,
  operationsAddresses,
  publicPort,
  reportedFindings,
  eventLog,
  clocks,
];
