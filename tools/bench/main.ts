import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';
import { ANALYTICS_PARTS, benchAnalytics } from './analytics/bench-analytics.ts';
import { benchAgainst } from './against/bench-against.ts';
import { AUTOMATIONS_PARTS, benchAutomations } from './automations/bench-automations.ts';
import { benchDashboard } from './dashboard/bench-dashboard.ts';
import { benchDelivery, DELIVERY_PARTS } from './delivery/bench-delivery.ts';
import { benchIngest, INGEST_PARTS } from './ingest/bench-ingest.ts';
import { benchFootprint } from './footprint/bench-footprint.ts';
import { benchForms } from './forms/bench-forms.ts';
import { readOptions } from './options.ts';
import { benchSearch } from './search/bench-search.ts';
import { benchSegments } from './segments/bench-segments.ts';
import { benchSoak } from './soak/bench-soak.ts';

/**
 * Prints figures with their goals, and writes JSON to `.tidings/bench`. For valid figures, run
 * nothing else on the machine.
 */
const USAGE = `npm run bench -- ingest [${INGEST_PARTS.join('|')}|all …] [--quick] [--empty | --rows full|small] [--against PATH|COMMIT [--pairs 3]]
npm run bench -- delivery [${DELIVERY_PARTS.join('|')}|all …] [the same options]
npm run bench -- dashboard [--deliveries 1000000] [--events 10000000] [--quick]
npm run bench -- search [--users 500000] [--quick]
npm run bench -- pages [--users 50000] [--events 500000] [--quick]
npm run bench -- segments [--events 20000000] [--quick]
npm run bench -- analytics [${ANALYTICS_PARTS.join('|')}|all …] [--events 20000000] [--quick]
npm run bench -- automations [${AUTOMATIONS_PARTS.join('|')}|all …] [--quick]
npm run bench -- forms [--pairs 3] [--quick]
npm run bench -- footprint   (of what npm start runs here)
npm run bench -- soak [--minutes 30] [--share 0.3] [--quick]`;

const options = readOptions(process.argv.slice(2));
const [name, ...named] = options?.positionals ?? [];

/** Undefined if a name is not a part. */
function choose<Part extends string>(known: readonly Part[]): Part[] | undefined {
  if (!named.every((part) => part === 'all' || known.some((one) => one === part))) return undefined;
  return named.length === 0 || named.includes('all')
    ? [...known]
    : known.filter((part) => named.includes(part));
}
const ingestParts = name === 'ingest' ? choose(INGEST_PARTS) : undefined;
const deliveryParts = name === 'delivery' ? choose(DELIVERY_PARTS) : undefined;
const automationsParts = name === 'automations' ? choose(AUTOMATIONS_PARTS) : undefined;
const analyticsParts = name === 'analytics' ? choose(ANALYTICS_PARTS) : undefined;
const parts = ingestParts ?? deliveryParts;

if (options === undefined) fail();
else if (parts !== undefined && options.against !== undefined)
  await benchAgainst(options.against, { ...options, bench: name ?? '', parts });
else if (ingestParts !== undefined) await benchIngest({ ...options, parts: ingestParts });
else if (deliveryParts !== undefined) await benchDelivery({ ...options, parts: deliveryParts });
else if (options.against !== undefined) fail();
else if (automationsParts !== undefined)
  await benchAutomations({ ...options, parts: automationsParts });
else if (analyticsParts !== undefined) await benchAnalytics({ ...options, parts: analyticsParts });
else if (named.length > 0) fail();
else if (name === 'dashboard') await benchDashboard(options);
else if (name === 'search') await benchSearch(options);
else if (name === 'pages') benchPages();
else if (name === 'segments') await benchSegments(options);
else if (name === 'footprint') benchFootprint();
else if (name === 'forms') await benchForms(options);
else if (name === 'soak') await benchSoak(options);
else fail();

/** It needs the browser of the tests, beside which it is. */
function benchPages(): void {
  const program = join(ROOT_DIR, 'test', 'browser', 'pace', 'main.ts');
  const args = process.argv.slice(2).filter((arg) => arg !== 'pages');
  process.exitCode =
    spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' }).status ?? 1;
}

function fail(): void {
  console.error(USAGE);
  process.exit(2);
}
