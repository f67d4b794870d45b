import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

export type Alert = {
  readonly alert: string;
  readonly expr: string;
  /** How long the expression must hold, such as `5m`. */
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

const CHART_DIR = resolve(import.meta.dirname, '..', '..', 'helm', 'tidings');

/** The alerts of the chart. */
export function readAlerts(): readonly Alert[] {
  const { groups } = parse(readFileSync(join(CHART_DIR, 'files', 'alerts.yaml'), 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Alert[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}
