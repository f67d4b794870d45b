import { connectDatabase } from '@tidings/postgres/database';
import {
  startBenchInstallation,
  type BenchInstallation,
  type Form,
} from '../installation/bench-installation.ts';
import type { PartReport } from '../report/figures.ts';
import { machineFacts } from '../report/machine.ts';
import { reportParts } from '../report/report-parts.ts';
import { createAsked, type Asked } from '../segments/ask.ts';
import { seed } from '../segments/seed.ts';
import { FULL, QUICK, type Sizes } from '../segments/sizes.ts';
import { measureEstimates } from './estimates.ts';
import { measureFolds } from './folds.ts';
import { measureIngest } from './ingest.ts';
import { measureReturns } from './returns.ts';
import { measureState } from './state.ts';
import { measureTrends } from './trends.ts';

/** Of a statement by hand, which takes a window pass for each step. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** It asks faster than a caller may. */
const ENV = { RATE_QUESTIONS_PER_SECOND: '0' };
/** Of the second installation, which measures acceptance alone. */
const IN_ONE_PROCESS = { users: 300_000, events: 3_000_000 };

export const ANALYTICS_PARTS = ['questions', 'acceptance', 'acceptance-one-process'] as const;
type Part = (typeof ANALYTICS_PARTS)[number];

/**
 * Questions about what a million users did in twenty million events, each beside its reference, and
 * acceptance of events beside such questions.
 */
export async function benchAnalytics({
  parts,
  isQuick,
  events,
}: {
  readonly parts: readonly Part[];
  readonly isQuick: boolean;
  readonly events?: number;
}): Promise<void> {
  const machine = machineFacts();
  const sizes = { ...(isQuick ? QUICK : FULL), ...(events !== undefined && { events }) };
  const reports: Record<string, PartReport> = {};
  let stores: BenchInstallation['stores'] | undefined;
  const acceptance = async (form: Form, asked: Asked, bench: BenchInstallation) => {
    reports[`acceptance, ${form}`] = await measureIngest(asked, { bench, isQuick, form });
  };
  if (parts.includes('questions') || parts.includes('acceptance'))
    await inInstallation('services', sizes, async (asked, bench) => {
      ({ stores } = bench);
      if (parts.includes('questions')) Object.assign(reports, await measureQuestions(asked));
      if (parts.includes('acceptance')) await acceptance('services', asked, bench);
    });
  if (parts.includes('acceptance-one-process')) {
    const smaller = isQuick ? sizes : { ...sizes, ...IN_ONE_PROCESS };
    await inInstallation('one process', smaller, async (asked, bench) => {
      stores ??= bench.stores;
      await acceptance('one process', asked, bench);
    });
  }
  if (stores === undefined) throw new Error('nothing was measured');
  reportParts({
    name: 'analytics',
    machine,
    stores,
    settings: { Parts: parts.join(', ') },
    isQuick,
    reports,
  });
}

async function measureQuestions(asked: Asked): Promise<Record<string, PartReport>> {
  return {
    funnels: await measureFolds(asked),
    retention: await measureReturns(asked),
    trends: await measureTrends(asked),
    state: await measureState(asked),
    estimates: await measureEstimates(asked),
  };
}

/** Starts an installation with the events of an application, and stops it afterwards. */
async function inInstallation<T>(
  form: Form,
  sizes: Sizes,
  work: (asked: Asked, bench: BenchInstallation) => Promise<T>,
): Promise<T> {
  console.error('Starting an installation …');
  const bench = await startBenchInstallation({ env: ENV, form });
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
    const url = bench.tidings.serviceUrl('api');
    return await work(createAsked({ db, applicationId, sizes, url, headers }), bench);
  } finally {
    await db.close();
    await bench.stop();
  }
}
