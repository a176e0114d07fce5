type SettingName =
  | 'maxmemory-policy'
  | 'appendonly'
  | 'appendfsync'
  | 'no-appendfsync-on-rewrite'
  | 'save'
  | 'stop-writes-on-bgsave-error'
  | 'list-compress-depth'
  | 'version'
  | 'aof_rewrites'
  | 'aof_last_bgrewrite_status';

/** What one Redis has. Undefined if it forbids the command that shows it. The last three are figures of `INFO`. */
export type RedisSettings = Readonly<Partial<Record<SettingName, string>>>;

interface WantedSetting {
  readonly name: SettingName;
  /** Its label in `mailhook_redis_settings`, if it has one. */
  readonly label?: string;
  /** The name of its check in the preflight. */
  readonly check: string;
  /** The good values, as a regular expression of JavaScript and of Prometheus for the whole text. */
  readonly good: string;
  /** The good values in words, beginning with the one to set. */
  readonly wanted: string;
  /** `fault`: accepted events may be lost, or the services cannot run. `risk`: a cost that breaks no promise. */
  readonly severity: 'fault' | 'risk';
  /** A fault only beside this value of another setting, and otherwise a risk. */
  readonly faultBeside?: readonly [SettingName, string];
  /** What a bad value means. */
  readonly sentence: (value: string, settings: RedisSettings) => string;
  /** Whether any value is good, because of other settings. */
  readonly isMoot?: (settings: RedisSettings) => boolean;
}

/**
 * The table by which the start of services, `/admin` and the preflight judge Redis. The alert MailhookRedisUnsafe, its
 * entry in the runbook, and docs/operations.md are compared with it by tests.
 */
export const WANTED_SETTINGS: readonly WantedSetting[] = [
  {
    name: 'maxmemory-policy',
    label: 'policy',
    check: 'Redis never evicts',
    good: 'noeviction',
    wanted: 'noeviction',
    severity: 'fault',
    sentence: (value) => `Redis may evict accepted events: maxmemory-policy is ${value}`,
  },
  {
    name: 'appendonly',
    label: 'appendonly',
    check: 'Redis writes an append-only file',
    good: 'yes',
    wanted: 'yes',
    severity: 'fault',
    sentence: (_value, { save }) =>
      save === ''
        ? 'Redis keeps nothing on disk: accepted events are lost when it stops'
        : 'Redis has no append-only file: what was accepted since its last snapshot is lost when it dies',
  },
  {
    name: 'appendfsync',
    label: 'appendfsync',
    check: 'Redis syncs its append-only file',
    good: 'everysec|always',
    wanted: 'everysec or always',
    severity: 'fault',
    sentence: () =>
      'Redis does not sync its append-only file: about 30 seconds of accepted events are lost when its machine dies',
  },
  {
    name: 'no-appendfsync-on-rewrite',
    label: 'no_appendfsync_on_rewrite',
    check: 'Redis syncs while it rewrites its file',
    good: 'no',
    wanted: 'no',
    severity: 'fault',
    // The promise of `everysec` is the time since the last sync, which then is the time of the rewrite.
    faultBeside: ['appendfsync', 'always'],
    sentence: () =>
      'Redis does not sync its append-only file while it rewrites it (no-appendfsync-on-rewrite yes): ' +
      'what was accepted since the rewrite began is lost when its machine dies',
    isMoot: ({ appendonly }) => appendonly === 'no',
  },
  {
    name: 'save',
    check: 'Redis makes no snapshots',
    good: '',
    wanted: "''",
    severity: 'risk',
    sentence: (value) =>
      `Redis makes snapshots (save ${value}), and refuses all writes after a failed one, ` +
      'although its append-only file is whole',
    // Without an append-only file, the snapshots are all that Redis keeps.
    isMoot: (settings) => settings.appendonly === 'no' || settings['stop-writes-on-bgsave-error'] === 'no',
  },
  {
    name: 'list-compress-depth',
    check: 'Redis compresses waiting events',
    good: '[1-9][0-9]*',
    wanted: '1',
    severity: 'risk',
    sentence: (value) =>
      `Redis does not compress waiting events (list-compress-depth ${value}), ` +
      'so a backlog takes three times the memory',
  },
  {
    name: 'version',
    label: 'version',
    check: 'Redis is new enough',
    good: '([7-9]|[1-9][0-9]+)[.].*',
    wanted: '7.0 or newer',
    severity: 'fault',
    sentence: (value) => `Redis ${value} is too old`,
  },
];

/** How a Redis has one wanted setting. `unchecked`: its value is unknown. */
export function judgeSetting(wanted: WantedSetting, settings: RedisSettings): 'good' | 'fault' | 'risk' | 'unchecked' {
  const value = settings[wanted.name];
  if (wanted.isMoot?.(settings) === true) return 'good';
  if (value === undefined) return 'unchecked';
  if (new RegExp(`^(${wanted.good})$`).test(value)) return 'good';
  const [other, faulty] = wanted.faultBeside ?? [];
  return other === undefined || settings[other] === faulty ? wanted.severity : 'risk';
}

/** A sentence that names the setting and the fix. */
export function settingText(wanted: WantedSetting, settings: RedisSettings): string {
  const { name } = wanted;
  const value = settings[name];
  if (value === undefined)
    return `Redis does not show ${name}, so it cannot be checked: make sure that it is ${wanted.wanted}.`;
  const remedy = name === 'version' ? NEEDED_VERSION : `set ${name} to ${wanted.wanted}`;
  return `${wanted.sentence(value, settings)}; ${remedy}.`;
}

/** The remedy as an operator types it. */
export const settingCommand = ({ name, wanted }: Pick<WantedSetting, 'name' | 'wanted'>): string =>
  name === 'version' ? NEEDED_VERSION : `CONFIG SET ${name} ${wanted.split(' ')[0] ?? ''}`;

export const NEEDED_VERSION = 'Mailhook needs 7.0 or newer';
