import { connectDatabase } from '@tidings/postgres/database';
import { startBenchInstallation } from '../installation/bench-installation.ts';
import { machineFacts } from '../report/machine.ts';
import { reportParts } from '../report/report-parts.ts';
import { createAsked } from '../segments/ask.ts';
import { seed } from '../segments/seed.ts';
import { FULL, QUICK } from '../segments/sizes.ts';
import { measureEstimates } from './estimates.ts';
import { measureFolds } from './folds.ts';
import { measureIngest } from './ingest.ts';
import { measureReturns } from './returns.ts';
import { measureState } from './state.ts';
import { measureTrends } from './trends.ts';

/** Of a statement by hand, which takes a window pass for each step. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** Questions about what a million users did in twenty million events, each beside its reference. */
export async function benchAnalytics({
  isQuick,
  events,
}: {
  readonly isQuick: boolean;
  readonly events?: number;
}): Promise<void> {
  const machine = machineFacts();
  const sizes = { ...(isQuick ? QUICK : FULL), ...(events !== undefined && { events }) };
  console.error('Starting an installation …');
  // It asks faster than a caller may.
  const bench = await startBenchInstallation({ env: { RATE_QUESTIONS_PER_SECOND: '0' } });
  // One connection: the CPU of its process is that of the question.
  const db = connectDatabase({
    databaseUrl: bench.tidings.local.databaseUrl,
    poolMax: 1,
    applicationName: 'bench',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    const { applicationId, headers } = bench.tenant;
    await seed(bench.db, applicationId, sizes);
    const asked = createAsked({
      db,
      applicationId,
      sizes,
      url: bench.tidings.serviceUrl('api'),
      headers,
    });
    const reports = {
      funnels: await measureFolds(asked),
      retention: await measureReturns(asked),
      trends: await measureTrends(asked),
      state: await measureState(asked),
      estimates: await measureEstimates(asked),
      ingest: await measureIngest(asked, { bench, isQuick }),
    };
    reportParts({ name: 'analytics', machine, stores: bench.stores, isQuick, reports });
  } finally {
    await db.close();
    await bench.stop();
  }
}
