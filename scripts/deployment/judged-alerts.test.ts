import { readFileSync } from 'node:fs';
import path from 'node:path';
import { JUDGED_ALERTS, UNJUDGED_ALERTS } from '../../services/api/src/operations/alerts.ts';
import { settingCommand, WANTED_SETTINGS } from '../../packages/platform/src/redis/wanted-settings.ts';
import { itemsAt, readYaml, textAt } from './yaml.ts';

const FILE = path.join(__dirname, '../../k8s/components/monitoring/alerts.yaml');
const alerts = readYaml(readFileSync(FILE, 'utf8'))
  .flatMap((document) => itemsAt(document, 'spec.groups'))
  .flatMap((group) => itemsAt(group, 'rules'))
  .map((rule) => ({
    name: textAt(rule, 'alert'),
    expr: textAt(rule, 'expr'),
    severity: textAt(rule, 'labels.severity'),
  }));

test('the api judges every alert, or says why it cannot', () => {
  const known = [...Object.keys(JUDGED_ALERTS), ...Object.keys(UNJUDGED_ALERTS)];
  expect([...known].sort()).toEqual(alerts.map(({ name }) => name).sort());
});

test.each(Object.entries(JUDGED_ALERTS))('%s has the severity and the threshold of the file', (name, judged) => {
  const alert = alerts.find((one) => one.name === name);
  expect(alert?.severity).toBe(judged.severity);
  if ('threshold' in judged) expect(alert?.expr).toMatch(new RegExp(`[<>] ${judged.threshold}( |$)`));
});

describe('Redis is judged by one table', () => {
  const read = (file: string): string => readFileSync(path.join(__dirname, '../..', file), 'utf8');
  const settings = WANTED_SETTINGS.filter(({ name }) => name !== 'version');
  const unsafe = settings.filter(({ severity }) => severity === 'fault');

  test('MailhookRedisUnsafe fires for every fault in it', () => {
    const labels = unsafe.map(({ label }) => label);
    const queries = unsafe.map(({ label, good, faultBeside }) => {
      const [other, value] = faultBeside ?? [];
      const beside = other === undefined ? '' : `${other}="${value}",`;
      return `max by (${labels.join(', ')}) (mailhook_redis_settings{${beside}${label}!~"${good}|unknown"})`;
    });
    expect(alerts.find(({ name }) => name === 'MailhookRedisUnsafe')?.expr).toBe(queries.join(' or '));
  });

  test.each(unsafe)('the runbook and the summary of the alert name $name and its remedy', (setting) => {
    const [, entry = ''] = read('docs/runbook.md').split(/^### MailhookRedisUnsafe\n/m);
    expect(entry.split(/^### /m)[0]?.replaceAll(/\s+/g, ' ')).toContain(`\`${settingCommand(setting)}\``);
    expect(read('k8s/components/monitoring/alerts.yaml')).toContain(`${setting.name} {{ $labels.${setting.label} }}`);
  });

  test.each(settings)('docs/operations.md wants $name as the table does', ({ name, wanted }) => {
    const row = read('docs/operations.md')
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\``));
    for (const value of wanted.split(' or ')) expect(row).toContain(`\`${value}\``);
  });

  test('the Redis of `npm start`, Compose and Kubernetes has the wanted settings', () => {
    for (const file of ['scripts/stack/redis-server.ts', 'docker-compose.yml', 'k8s/overlays/single-node/redis.yaml']) {
      const words = read(file)
        .split(/[\s,[\]]+/)
        .filter((word) => word !== '' && word !== '-')
        .map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
      for (const { name, good } of settings) {
        const value = words.includes(`--${name}`) ? words[words.indexOf(`--${name}`) + 1] : undefined;
        expect([file, name, value]).toEqual([file, name, expect.stringMatching(new RegExp(`^(${good})$`))]);
      }
    }
  });
});
