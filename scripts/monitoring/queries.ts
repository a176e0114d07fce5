import { readFileSync } from 'node:fs';
import path from 'node:path';
import { itemsAt, readYaml, textAt } from '../deployment/yaml.ts';
import type { Yaml } from '../deployment/yaml.ts';
import { readDashboard } from './dashboard.ts';

export const ALERTS_FILE = path.resolve('k8s/components/monitoring/alerts.yaml');
const AUTOSCALING_FILE = path.resolve('k8s/components/keda/autoscaling.yaml');

/** A query, and where it is used. */
export interface PlacedQuery {
  readonly where: string;
  readonly expression: string;
}

/** Returns the alerting rules of the manifest. */
export function readAlerts(): readonly Yaml[] {
  const [rule] = readYaml(readFileSync(ALERTS_FILE, 'utf8'));
  return itemsAt(rule, 'spec.groups').flatMap((group) => itemsAt(group, 'rules'));
}

/** Returns every shipped query: of the alerts, the dashboard's panels and the workers' autoscalers. */
export function allQueries(): PlacedQuery[] {
  return [
    ...readAlerts().map((alert) => ({
      where: `alert ${textAt(alert, 'alert')}`,
      expression: textAt(alert, 'expr'),
    })),
    ...readDashboard().panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ where: `panel "${title}"`, expression: expr })),
    ),
    ...readYaml(readFileSync(AUTOSCALING_FILE, 'utf8')).flatMap((document) =>
      itemsAt(document, 'spec.triggers').map((trigger) => ({
        where: `autoscaler of ${textAt(document, 'metadata.name')}`,
        expression: textAt(trigger, 'metadata.query'),
      })),
    ),
  ];
}
