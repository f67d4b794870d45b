import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readAlerts } from '../observability/alerts.ts';
import { DASHBOARDS } from './grafana-dashboards.ts';
import { toGrafana } from './to-grafana.ts';

const DASHBOARDS_DIR = resolve(
  import.meta.dirname,
  '..',
  '..',
  'helm',
  'tidings',
  'files',
  'dashboards',
);

test('the dashboards of the chart match their source: run `npm run generate`', () => {
  expect(readdirSync(DASHBOARDS_DIR).toSorted()).toEqual(
    DASHBOARDS.map(({ uid }) => `${uid}.json`).toSorted(),
  );
  for (const dashboard of DASHBOARDS)
    expect(readFileSync(join(DASHBOARDS_DIR, `${dashboard.uid}.json`), 'utf8')).toBe(
      toGrafana(dashboard),
    );
});

test('every alert has a unique name, a severity, a summary, an impact, a command and a runbook', () => {
  const alerts = readAlerts();

  expect(alerts.length).toBeGreaterThan(15);
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  for (const { alert, labels, annotations } of alerts) {
    expect(alert).toMatch(/^Tidings[A-Z]/);
    expect(['critical', 'warning', 'info']).toContain(labels['severity']);
    expect(annotations['summary']).toMatch(/\.$/);
    expect(annotations['impact']).toMatch(/\.$/);
    expect(annotations['command']).toMatch(/^(kubectl|psql|chronyc) /);
    expect(annotations['runbook']?.length).toBeGreaterThan(40);
  }
});
