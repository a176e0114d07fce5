import { BATCH_EVENTS_MAX } from '@mailhook/core';
import {
  choice,
  cidrList,
  nat64List,
  durationMs,
  flag,
  fraction,
  host,
  integer,
  optional,
  portList,
  proxyUrl,
  redisUrl,
  scheduleMs,
  secretKeys,
  text,
  url,
} from './variable-types.ts';

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

/** The variables that all three services read. */
export const commonEnvironment = {
  OPS_HOST: host('127.0.0.1').describe(
    'Address that `OPS_PORT` listens on; in a container `0.0.0.0` or `::`, for probes and Prometheus',
  ),
  REDIS_URL: redisUrl('redis://127.0.0.1:6379').describe(
    'Redis of the queues; needs `noeviction` and persistence; `redis-cluster://host:port,host:port` for a cluster, ' +
      '`redis-sentinel://host:port,host:port/name` for sentinels',
  ),
  QUEUE_PREFIX: text(
    {
      pattern: /^[\w.:{}-]{1,100}$/,
      fault: 'must be 1 to 100 letters, digits, dots, colons, dashes, underscores or braces',
    },
    'mailhook',
  ).describe('Prefix of every key and queue in Redis'),
  QUEUE_SHARDS: integer(1, { min: 1, max: 1024 }).describe(
    'Shards that accounts are spread over on a Redis Cluster; fixed at first start',
  ),
  SECRETS_KEY: optional(secretKeys()).describe(
    'Key that encrypts stored signing secrets, custom headers and the keys of the event log: 32 bytes in base64; ' +
      'to replace it, put the new one first, with a comma between; unset: not encrypted',
  ),
  LOG_LEVEL: choice(LOG_LEVELS, 'info').describe('Least severe log level written: error, warn, info or debug'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(url()).describe(
    'Collector that traces are sent to, OTLP over HTTP, such as `http://127.0.0.1:4318`; unset: no tracing',
  ),
  OTEL_SDK_DISABLED: text({ pattern: /^/, fault: '' }, 'false').describe(
    '`true` switches tracing off, whatever the collector is, as in every program with OpenTelemetry',
  ),
};

/** The limits of outgoing requests: allowed addresses and ports, and the deadline. */
export const egressEnvironment = {
  DELIVERY_TIMEOUT_MS: integer(5000, { min: 10, max: 60_000 }).describe(
    'Deadline of a delivery in milliseconds, from the name lookup to the last byte of the reply',
  ),
  REPLY_EXCERPT_BYTES: integer(512, { min: 0, max: 4096 }).describe(
    "Bytes of a reply's body that are shown and kept of tests and of failed attempts; 0: only its status",
  ),
  ALLOW_PRIVATE_DESTINATIONS: flag(false).describe(
    'Let receivers have private and loopback addresses (`true` under `npm start`)',
  ),
  DESTINATION_ALLOW_CIDRS: cidrList().describe('Networks in which receivers are always allowed, such as `10.1.0.0/16`'),
  DESTINATION_DENY_CIDRS: cidrList().describe(
    'Networks without receivers, such as your own public ones; goes before `DESTINATION_ALLOW_CIDRS`',
  ),
  NAT64_PREFIXES: nat64List().describe(
    'NAT64 prefixes of your network besides `64:ff9b::/96`; the IPv4 address behind one is checked',
  ),
  EGRESS_PROXY_URL: optional(proxyUrl()).describe(
    'Proxy of all requests to receivers, such as `http://user:password@proxy:3128`; gets CONNECT to IP addresses',
  ),
  DESTINATION_DENIED_PORTS: portList('25,465,587,2375,2376,2379,2380,6379,10250,10255,11211,26379,27017').describe(
    'Ports that receivers must not have',
  ),
};

/** The settings of deliveries, resends and dead letters, which the workers read. */
export const deliveryEnvironment = {
  RETRY_SCHEDULE: scheduleMs('5s,30s,2m,10m,30m,1h,2h,4h,8h,8h').describe(
    'Waits between attempts (ms, s, m, h): n waits are n + 1 attempts',
  ),
  RETRY_JITTER: fraction(0.2).describe('Each wait is drawn from wait x (1 - jitter) to wait x (1 + jitter)'),
  BREAKER_FAILURES: integer(5, { min: 1, max: 1000 }).describe(
    'Failed attempts in a row after which a destination is parked',
  ),
  BREAKER_PARK_MAX: durationMs('5m').describe('Longest pause between two probes of a parked destination'),
  POISON_SPLIT: flag(true).describe(
    'Split a batch that keeps failing, to find the event that its receiver cannot take',
  ),
  WAITING_MAX_AGE: durationMs('3d').describe('Age at which waiting events become dead letters'),
  EVENT_ID_WINDOW: durationMs('24h', { min: '1h', max: '7d' }).describe(
    "How long an event's `id` makes another event with it a duplicate (1h to 7d); it may be up to a third longer",
  ),
  DELIVERED_BODY_RETENTION: optional(durationMs(undefined, { min: '2h', max: '24h' })).describe(
    'How long the settings page can show the bodies of delivered requests, up to 2 MB of them per account and ' +
      'hour: at most this long, and at least an hour less (2h to 24h); unset: none is kept',
  ),
  ATTEMPT_LOG_BYTES_MAX: optional(integer(undefined, { min: 1_000_000, max: 1_000_000_000_000 })).describe(
    'Most bytes of the packed rows of delivered attempts in Redis, the oldest go first; ' +
      'unset: a tenth of `maxmemory`, or 100 MB without one',
  ),
  IDLE_CONNECTION_MAX: durationMs('90s', { min: '1s', max: '1h' }).describe(
    "How long an idle connection to a receiver is kept; the receiver's `Keep-Alive: timeout` shortens it",
  ),
  IN_FLIGHT_BYTES_MAX: optional(integer(undefined, { min: 1_000_000, max: 100_000_000_000 })).describe(
    'Most bytes of events in requests that wait for a reply, per worker; unset: an eighth of its heap',
  ),
  CAMPAIGN_BATCH_MAX: integer(BATCH_EVENTS_MAX, { min: 1, max: BATCH_EVENTS_MAX }).describe(
    'Maximum number of events in one request, of both modules',
  ),
  PARTIAL_ACK: choice(['unconfirmed', 'batch'], 'unconfirmed').describe(
    'What follows a partial acknowledgement: resend the unconfirmed events, or the whole batch',
  ),
};

/** The limits of an account's events in Redis. */
export const intakeEnvironment = {
  WAITING_MAX_EVENTS: integer(2_000_000, { min: 1, max: 1_000_000_000 }).describe(
    'Most waiting events of one account; more are refused until some have left',
  ),
  INTAKE_DURABILITY: choice(['memory', 'disk', 'replica'], 'memory').describe(
    'What accepted events have reached when a request is answered: the memory of Redis, its synced append-only ' +
      'file, or also that of a replica; the latter two need Redis 7.2, or Valkey with appendfsync always',
  ),
  WAITING_MAX_BYTES: integer(1_000_000_000, { min: 1_000_000, max: 1_000_000_000_000 }).describe(
    'Most bytes that one account keeps in Redis, dead letters included; in any case no more than Redis has left',
  ),
};
