import { DASHBOARDS } from '../generated/grafana-dashboards.ts';
import { readAlerts } from './alerts.ts';

/** All metrics used by alerts and dashboards, by the name in a scrape. */
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
      [...expr.matchAll(/\b(?:tidings|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
        name.replace(/_(bucket|sum|count)$/, ''),
      ),
    ),
  );
}

/** Metrics declared in a scrape, even without samples. */
export function metricsDeclared(scrape: string): ReadonlySet<string> {
  return new Set([...scrape.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
}
