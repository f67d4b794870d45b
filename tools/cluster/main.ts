import { onStopRequest } from '@tidings/local';
import { prepareApplication, type Application } from './application.ts';
import { imagesOfThisRun, nameOf } from './images.ts';
import { describeInstallation, productionValues } from './installation.ts';
import { readOptions, USAGE, type Options } from './options.ts';
import { startExternalServices } from './external-services.ts';
import type { Row, RowResult, Stage } from './row.ts';
import { ROWS } from './rows.ts';
import { openCluster } from './support/cluster.ts';
import { describeResult, formatTable, hasFailed, type Result } from './table.ts';

/** `npm run test:cluster`: tests the chart in the cluster of the current kubeconfig, row by row. */
const NAMESPACE = 'tidings-test';
const INTERRUPTED = 130;

const stopRequested = onStopRequest();
const options = readOptions(
  process.argv.slice(2),
  ROWS.map(({ name }) => name),
);
if (options === null) {
  tell(`${USAGE}\n  rows: ${ROWS.map(({ name }) => name).join(' ')}`);
  process.exit(2);
}
process.exit(await run(options));

/** Resolves with the exit code. */
async function run(wanted: Options): Promise<number> {
  const cluster = openCluster(NAMESPACE, stopRequested);
  tell(
    `Namespace ${NAMESPACE} of ${(await cluster.kubectl(['config', 'current-context'])).trim()}`,
  );
  // Fails if it exists: another user's namespace is not touched.
  await cluster.kubectl(['create', 'namespace', NAMESPACE]);
  await cluster.kubectl([
    'label',
    'namespace',
    NAMESPACE,
    'pod-security.kubernetes.io/enforce=restricted',
  ]);
  const results: Result[] = [];
  try {
    await runRows(wanted, results);
  } catch (error) {
    if (!stopRequested.aborted) throw error;
  } finally {
    await openCluster(NAMESPACE, new AbortController().signal).kubectl([
      'delete',
      'namespace',
      NAMESPACE,
    ]);
  }
  tell(`\n${formatTable(results)}\n`);
  if (stopRequested.aborted) return INTERRUPTED;
  return results.some(hasFailed) ? 1 : 0;
}

async function runRows(wanted: Options, results: Result[]): Promise<void> {
  const cluster = openCluster(NAMESPACE, stopRequested);
  const external = await startExternalServices(wanted.host);
  try {
    const images = imagesOfThisRun();
    const hasKeda = await cluster.knows('scaledobjects.keda.sh');
    const installation = describeInstallation(cluster, {
      image: images.now,
      ...productionValues(external, { hasKeda }),
    });
    let application: Promise<Application> | undefined;
    const stage: Stage = {
      cluster,
      external,
      options: wanted,
      images,
      signal: stopRequested,
      installation,
      application: () => (application ??= prepareApplication(cluster, external)),
    };
    tell(`Image: ${nameOf(images.now)}\n`);
    for (const row of ROWS.filter(
      ({ name, isAlwaysRun }) =>
        wanted.rows.length === 0 || isAlwaysRun === true || wanted.rows.includes(name),
    )) {
      stopRequested.throwIfAborted();
      const startedAt = performance.now();
      const seen = await seenBy(row, stage);
      results.push({ row, seen, seconds: (performance.now() - startedAt) / 1_000 });
      tell(describeResult({ row, seen, seconds: (performance.now() - startedAt) / 1_000 }));
    }
  } finally {
    await external.stop();
  }
}

/** A failed row is reported as a violation; later rows still run. */
async function seenBy(row: Row, stage: Stage): Promise<RowResult> {
  try {
    return await row.run(stage);
  } catch (error) {
    stopRequested.throwIfAborted();
    return { violations: [error instanceof Error ? error.message : String(error)] };
  }
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}
