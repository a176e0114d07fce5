import { readFileSync } from 'node:fs';
import path from 'node:path';

const DASHBOARD_FILE = path.resolve('k8s/components/monitoring/dashboard.json');

/** The dashboard as it is shipped, in Grafana's own words; what we do not read is left out here. */
export interface Dashboard {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Panel {
  readonly type: 'row' | 'stat' | 'timeseries';
  readonly title: string;
  /** In cells: the grid is 24 wide. */
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: PanelDefaults };
  readonly targets?: readonly Target[];
}

export interface PanelDefaults {
  /** By Grafana's id: `s`, `reqps`, `percentunit`. */
  readonly unit: string;
  readonly min?: number;
  readonly max?: number;
  readonly decimals?: number;
  readonly thresholds?: { readonly steps: readonly Threshold[] };
  readonly custom?: { readonly stacking?: { readonly mode: 'none' | 'normal' } };
}

/** From `value` on, the colour; null: from the lowest. */
export interface Threshold {
  readonly color: string;
  readonly value: number | null;
}

export interface Target {
  readonly expr: string;
  /** `{{label}}` stands for a label's value. */
  readonly legendFormat: string;
}

export const readDashboard = (): Dashboard => JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8')) as Dashboard;
