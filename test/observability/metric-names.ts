import { DASHBOARDS } from '../generated/grafana-dashboards.ts';
import { readAlerts } from './alerts.ts';

/** Every metric that an alert or a dashboard asks for, as a scrape declares it. */
export function metricsAskedFor(): ReadonlySet<string> {
  const queries = [
    ...readAlerts().map(({ expr }) => expr),
    ...DASHBOARDS.flatMap(({ rows }) =>
      Object.values(rows).flatMap((panels) =>
        panels.flatMap((panel) => panel.queries.map(([expr]) => expr)),
      ),
    ),
  ];
  return new Set(
    queries.flatMap((expr) =>
      [...expr.matchAll(/\b(?:tidings|bus|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
        name.replace(/_(bucket|sum|count)$/, ''),
      ),
    ),
  );
}

/** The metrics that a scrape declares, whether or not anything has been counted yet. */
export function metricsDeclared(scrape: string): ReadonlySet<string> {
  return new Set([...scrape.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
}
