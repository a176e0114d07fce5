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
  /** In cells. The grid is 24 cells wide. */
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: PanelDefaults };
  readonly targets?: readonly Target[];
}

export interface PanelDefaults {
  /** Grafana's id of the unit, such as `s`, `reqps` or `percentunit`. */
  readonly unit: string;
  readonly min?: number;
  readonly max?: number;
  readonly decimals?: number;
  readonly thresholds?: { readonly steps: readonly Threshold[] };
  readonly custom?: { readonly stacking?: { readonly mode: 'none' | 'normal' } };
}

/** Values from `value` on have this color. Null means the lowest value. */
export interface Threshold {
  readonly color: string;
  readonly value: number | null;
}

export interface Target {
  readonly expr: string;
  /** `{{label}}` stands for the label's value. */
  readonly legendFormat: string;
}

export const readDashboard = (): Dashboard => JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8')) as Dashboard;
