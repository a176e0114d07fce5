import { readFileSync } from 'node:fs';
import path from 'node:path';

const DASHBOARD_FILE = path.resolve('k8s/components/monitoring/dashboard.json');

/** The shipped dashboard in Grafana's format, without the fields that no script reads. */
export interface Dashboard {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Panel {
  readonly type: 'row' | 'stat' | 'timeseries';
  readonly title: string;
  readonly targets?: readonly Target[];
}

export interface Target {
  readonly expr: string;
  /** `{{label}}` stands for the label's value. */
  readonly legendFormat: string;
}

export const readDashboard = (): Dashboard => JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8')) as Dashboard;
