import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withWorkerRows, withWorkersSchema } from './channel-lists.ts';
import { withConditionKinds } from './condition-kinds.ts';
import { withConfigurationTable } from './configuration-table.ts';
import { withOneProcessTable } from './one-process-table.ts';
import { DASHBOARDS } from './grafana-dashboards.ts';
import { toGrafana } from './to-grafana.ts';
import { providerErrorsDocument } from './provider-errors-table.ts';
import { renderedWorker, RENDERED_FILE } from './rendered-chart.ts';
import { withAlerts } from './runbooks.ts';
import { withValuesTable } from './values-table.ts';

/** `npm run generate`: writes all generated files; tests compare them. */
const ROOT_DIR = resolve(import.meta.dirname, '..', '..');
const ARCHITECTURE = join(ROOT_DIR, 'docs', 'architecture.md');
const REFERENCE = join(ROOT_DIR, 'packages', 'contracts', 'README.md');
const CONFIGURATION = join(ROOT_DIR, 'docs', 'configuration.md');
const ONE_PROCESS = join(ROOT_DIR, 'docs', 'operations', 'one-process.md');
const RUNBOOKS = join(ROOT_DIR, 'docs', 'operations', 'runbooks.md');
const CHART_DIR = join(ROOT_DIR, 'helm', 'tidings');
const CHART_README = join(CHART_DIR, 'README.md');
const DASHBOARDS_DIR = join(CHART_DIR, 'files', 'dashboards');

const CHART_SCHEMA = join(CHART_DIR, 'values.schema.json');

// First, because the chart renders only values that its schema allows.
writeFileSync(CHART_SCHEMA, withWorkersSchema(readFileSync(CHART_SCHEMA, 'utf8')));
writeFileSync(ARCHITECTURE, withWorkerRows(readFileSync(ARCHITECTURE, 'utf8')));
writeFileSync(REFERENCE, withConditionKinds(readFileSync(REFERENCE, 'utf8')));
writeFileSync(RUNBOOKS, withAlerts(readFileSync(RUNBOOKS, 'utf8')));
writeFileSync(CONFIGURATION, await withConfigurationTable(readFileSync(CONFIGURATION, 'utf8')));
writeFileSync(ONE_PROCESS, await withOneProcessTable(readFileSync(ONE_PROCESS, 'utf8')));
writeFileSync(
  join(ROOT_DIR, 'packages', 'channel-worker', 'PROVIDER-ERRORS.md'),
  providerErrorsDocument(),
);
mkdirSync(DASHBOARDS_DIR, { recursive: true });
for (const dashboard of DASHBOARDS)
  writeFileSync(join(DASHBOARDS_DIR, `${dashboard.uid}.json`), toGrafana(dashboard));
writeFileSync(CHART_README, withValuesTable(readFileSync(CHART_README, 'utf8')));
writeFileSync(RENDERED_FILE, renderedWorker());
