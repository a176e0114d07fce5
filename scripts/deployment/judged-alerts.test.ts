import { readFileSync } from 'node:fs';
import path from 'node:path';
import { JUDGED_ALERTS, UNJUDGED_ALERTS } from '../../services/api/src/operations/alerts.ts';
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
