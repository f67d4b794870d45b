import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withConfigurationTable } from './configuration-table.ts';
import { DASHBOARDS, toGrafana } from './grafana-dashboards.ts';
import { providerErrorsDocument } from './provider-errors-table.ts';

/** `npm run generate`: writes what is made from the code; a test compares. */
const ROOT_DIR = resolve(import.meta.dirname, '..', '..');
const README = join(ROOT_DIR, 'README.md');
const DASHBOARDS_DIR = join(ROOT_DIR, 'helm', 'tidings', 'files', 'dashboards');

writeFileSync(README, await withConfigurationTable(readFileSync(README, 'utf8')));
writeFileSync(join(ROOT_DIR, 'packages', 'channel-worker', 'PROVIDER-ERRORS.md'), providerErrorsDocument());
mkdirSync(DASHBOARDS_DIR, { recursive: true });
for (const dashboard of DASHBOARDS) writeFileSync(join(DASHBOARDS_DIR, `${dashboard.uid}.json`), toGrafana(dashboard));
