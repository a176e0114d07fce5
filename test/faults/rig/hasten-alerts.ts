import { stringify } from 'yaml';
import { textAt } from '../../../scripts/deployment/yaml.ts';
import { readAlerts } from '../../../scripts/monitoring/queries.ts';

/** Thresholds that a test cannot reach in time, and those that take their place. */
const THRESHOLDS: Readonly<Record<string, readonly [is: string, tried: string]>> = {
  MailhookMailStuck: ['> 60', '> 1'],
  MailhookLocalFaults: ['> 10', '> 1'],
  MailhookManyParked: ['> 20', '> 2'],
  MailhookOldMail: ['> 172800', '> 1'],
  MailhookDeadLetters: ['> 100', '> 2'],
  MailhookRedisFedBacklog: ['> 1000', '> 10'],
  MailhookRepairs: ['> 20', '> 2'],
  MailhookEventLogNotWritten: ['> 120', '> 12'],
  MailhookEventLogSpoolFilling: ['> 0.8', '> 0.0001'],
  MailhookFailedSignIns: ['> 100', '> 1'],
};

/**
 * The shipped alerts as rules of Prometheus that fire at once and look back for a few seconds. promtool checks the real
 * times and thresholds.
 */
export function hastenedAlerts(): string {
  const rules = readAlerts().map((alert) => {
    const name = textAt(alert, 'alert');
    const [is, tried] = THRESHOLDS[name] ?? ['', ''];
    const expression = textAt(alert, 'expr');
    if (!expression.includes(is)) throw new Error(`${name} has no threshold ${is}`);
    return { alert: name, expr: expression.replace(is, tried).replaceAll(/\[\d+[smhd]\]/g, '[4s]') };
  });
  return stringify({ groups: [{ name: 'hastened', rules }] });
}
