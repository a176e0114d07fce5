import { formatCount, plural } from '@mailhook/core';
import type { MailboxReport } from '@mailhook/insight';

/** The report for a person, one fact per line. */
export function mailboxLines(report: MailboxReport): string[] {
  const { destination, kind, shard, record, time } = report;
  return [
    `${destination} (${kind}, shard ${shard}) at ${time}`,
    '',
    ...recordLines(record),
    row('status', statusText(report)),
    ...eventLines(report),
    row('breaker', breakerText(report)),
    row('pause', report.pause === null ? 'none' : `until ${report.pause.until}, by the ${report.pause.by}`),
    ...(report.giveUpUntil === null ? [] : [row('give up', `events accepted until ${report.giveUpUntil}`)]),
    ...(report.sizeLimitBytes === null ? [] : [row('size limit', `${formatCount(report.sizeLimitBytes)} bytes`)]),
    ...(report.sendNow === null ? [] : [row('send now', `in progress, position ${report.sendNow}`)]),
    ...resendLines(report),
  ];
}

const row = (name: string, text: string): string => `${name.padEnd(12)}${text}`;

function recordLines(record: MailboxReport['record']): string[] {
  if (record === null) return [row('record', 'none: its events wait until the api writes it')];
  const { state, reason, address, account, version, revision, isProven } = record;
  return [
    row('record', `${state}${reason === '' ? '' : `: ${reason}`}`),
    row('account', account),
    row('address', address === '' ? 'none' : address),
    row('version', `${version} (written ${plural(revision, 'time', 'times')})`),
    row('proven', isProven ? 'yes: its last attempt succeeded' : 'no'),
  ];
}

const STATUS_TEXTS = {
  idle: 'idle',
  ready: 'ready: on a ready list, waits for a worker',
  waiting: 'waiting: parked or paused',
} as const;

function statusText({ status, owner, time }: MailboxReport): string {
  if (status !== 'owned') return STATUS_TEXTS[status];
  const { worker = '', token = '', host = null, pid = null, leaseUntil = null } = owner ?? {};
  const place = host === null ? '' : ` on ${host}, pid ${pid ?? 'unknown'}`;
  const isOver = leaseUntil === null || leaseUntil < time;
  const lease = leaseUntil === null ? 'without a lease' : `lease ${isOver ? 'ended at' : 'until'} ${leaseUntil}`;
  return `owned by ${worker}${place} (${lease}; token ${token})`;
}

function eventLines({ events, window, time }: MailboxReport): string[] {
  const { fresh, unsubscribes, replayed, inFlight, since, oldestAcceptedAt, isInBacklog } = events;
  const lanes = [`${formatCount(fresh)} new`, `${formatCount(unsubscribes)} unsubscribes`];
  if (replayed > 0) lanes.push(`${formatCount(replayed)} of replays`);
  const lines = [row('events', [...lanes, `${formatCount(inFlight)} in flight`].join(', '))];
  if (since !== null)
    lines.push(row('', `since ${withAge(since, time)}, ${isInBacklog ? 'in the backlog' : 'not in the backlog yet'}`));
  if (oldestAcceptedAt !== null) lines.push(row('', `oldest accepted at ${withAge(oldestAcceptedAt, time)}`));
  lines.push(row('window', window.length === 0 ? 'empty' : plural(window.length, 'batch', 'batches')));
  for (const { id, lane, isSettled, entries, events: size, attempt, bytes } of window) {
    const state = isSettled ? 'settled' : 'in flight';
    const what = `${plural(size, 'event', 'events')}, ${plural(entries, 'entry', 'entries')}, ${formatCount(bytes)} bytes`;
    lines.push(`  ${id}  ${state}, ${lane}, attempt ${attempt}, ${what}`);
  }
  return lines;
}

function breakerText({ breaker, time }: MailboxReport): string {
  const { phase, failures, parkMs, parkedUntil, error } = breaker;
  const parts: string[] = [phase];
  if (failures > 0) parts.push(`${plural(failures, 'failure', 'failures')} in a row`);
  if (parkedUntil !== null)
    parts.push(
      `parked for ${formatCount(parkMs / 1000)} s, ${parkedUntil > time ? 'until' : 'ended at'} ${parkedUntil}`,
    );
  if (error !== '') parts.push(`last error: ${error}`);
  return parts.join('; ');
}

function resendLines({ resends, time }: MailboxReport): string[] {
  const { due, all, some } = resends;
  const shown = all > some.length ? `, ${some.length} of them:` : '';
  return [
    row('resends', `${formatCount(all)}, ${formatCount(due)} of them due${shown}`),
    ...some.map(({ id, webhookId, events, attempt, acceptedAt, dueAt, error }) => {
      const times = [
        acceptedAt === null ? '' : `accepted at ${withAge(acceptedAt, time)}`,
        dueAt === null ? 'due or in flight' : `next attempt at ${dueAt}`,
      ];
      const facts = [plural(events, 'event', 'events'), `attempt ${attempt}`, ...times, error];
      return `  ${id}  ${webhookId}: ${facts.filter((text) => text !== '').join(', ')}`;
    }),
  ];
}

/** Such as `2026-01-01T00:00:00.000Z (5 min ago)`. */
function withAge(at: string, now: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(now) - Date.parse(at)) / 1000));
  if (seconds < 120) return `${at} (${seconds} s ago)`;
  if (seconds < 7200) return `${at} (${Math.round(seconds / 60)} min ago)`;
  return `${at} (${Math.round(seconds / 3600)} h ago)`;
}
