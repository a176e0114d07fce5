import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { at, itemsAt, readYaml, textAt } from '../deployment/yaml.ts';
import { findPrometheusProgram } from './prometheus-programs.ts';
import { ALERTS_FILE, readAlerts } from './queries.ts';

const run = promisify(execFile);
const CASES_FILE = path.join(__dirname, 'alerts.promtool.yaml');
const TRIALS_FILE = path.join(__dirname, '../../test/faults/nightly/runbook.test.ts');
const RUNBOOK_FILE = path.join(__dirname, '../../docs/runbook.md');

const names = readAlerts().map((alert) => textAt(alert, 'alert'));

test('promtool accepts the rules, and every alert fires exactly when it should', async () => {
  const promtool = await findPrometheusProgram('promtool');
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-alerts-'));
  try {
    const manifest = parse(readFileSync(ALERTS_FILE, 'utf8')) as { spec: unknown };
    writeFileSync(path.join(folder, 'rules.yaml'), stringify(manifest.spec));
    copyFileSync(CASES_FILE, path.join(folder, 'cases.yaml'));
    const checked = await run(promtool, ['check', 'rules', 'rules.yaml'], { cwd: folder });
    expect(checked.stdout).toContain(`SUCCESS: ${names.length} rules found`);
    await run(promtool, ['test', 'rules', 'cases.yaml'], { cwd: folder }).catch((error: unknown) => {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`promtool: ${stdout}${stderr}`);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

test('every alert has a case in which it fires and a case in which it does not', () => {
  const [document] = readYaml(readFileSync(CASES_FILE, 'utf8'));
  const cases = itemsAt(document, 'tests').flatMap((one) => itemsAt(one, 'alert_rule_test'));
  const tried = (fires: boolean): string[] =>
    cases
      .filter((one) => itemsAt(one, 'exp_alerts').length > 0 === fires && at(one, 'exp_alerts') !== undefined)
      .map((one) => textAt(one, 'alertname'));
  expect(names.filter((name) => !tried(true).includes(name))).toEqual([]);
  expect(names.filter((name) => !tried(false).includes(name))).toEqual([]);
});

test('every alert has a trial, which runs every night', () => {
  const trials = readFileSync(TRIALS_FILE, 'utf8');
  expect(names.filter((name) => !trials.includes(`'${name}'`))).toEqual([]);
});

describe('the runbook', () => {
  const sections = readFileSync(RUNBOOK_FILE, 'utf8').split(/^### /m).slice(1);
  const entries = new Map(sections.map((section) => [section.split('\n')[0] ?? '', section]));

  test('has exactly one entry per alert, in the order of the alerts', () => {
    expect([...entries.keys()]).toEqual(names);
    expect(sections).toHaveLength(names.length);
  });

  test.each(names)(
    '%s: the alert links to its entry, which says what it means, where to look and how to fix it',
    (name) => {
      const alert = readAlerts().find((one) => textAt(one, 'alert') === name);
      expect(textAt(alert, 'annotations.runbook_url')).toBe(
        `https://mailhook-operations.example.com/admin/runbook#${name.toLowerCase()}`,
      );
      for (const part of ['**Means.**', '**Look.**', '**Fix.**']) expect(entries.get(name)).toContain(part);
    },
  );
});
