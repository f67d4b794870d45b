import { createFreshDatabase, type FreshDatabase } from '../delivery/fresh-database.ts';
import {
  startBenchInstallation,
  type BenchInstallation,
} from '../installation/bench-installation.ts';
import type { PartReport } from '../report/figures.ts';
import { startSink } from '../delivery/sink/start-sink.ts';
import { machineFacts } from '../report/machine.ts';
import { reportParts } from '../report/report-parts.ts';
import { measureChanges, type ChangeRun } from './changes.ts';
import { ENGINE, measureEngines } from './engines.ts';
import { measureSends } from './sends.ts';
import * as sizes from './sizes.ts';
import { measureSteps } from './steps.ts';

const SERVICES = [
  'gateway',
  'users-consumer',
  'events-consumer',
  'campaigns',
  'scheduler',
  'worker-email',
  ENGINE,
];

type Reports = Readonly<Record<string, PartReport>>;
type Part = (bench: BenchInstallation, isQuick: boolean) => Promise<Reports>;

const PARTS = {
  changes: benchChanges,
  steps: benchSteps,
  sends: benchSends,
  engines: benchEngines,
} as const satisfies Record<string, Part>;
export type AutomationsPart = keyof typeof PARTS;
export const AUTOMATIONS_PARTS = Object.keys(PARTS) as readonly AutomationsPart[];

/** What automations cost, each figure beside another of the same run. */
export async function benchAutomations({
  isQuick,
  parts,
}: {
  readonly isQuick: boolean;
  readonly parts: readonly AutomationsPart[];
}): Promise<void> {
  const machine = machineFacts();
  console.error('Starting an installation …');
  const bench = await startBenchInstallation({ services: SERVICES });
  try {
    // They would take CPU time from what is measured.
    await bench.stopConsumers();
    await bench.tidings.supervisor.remove(ENGINE);
    const reports: Record<string, PartReport> = {};
    for (const part of parts) Object.assign(reports, await PARTS[part](bench, isQuick));
    reportParts({
      name: 'automations',
      machine,
      stores: bench.stores,
      settings: { Parts: parts.join(', ') },
      isQuick,
      reports,
    });
  } finally {
    await bench.stop();
  }
}

function benchChanges(bench: BenchInstallation, isQuick: boolean): Promise<Reports> {
  const own = isQuick ? sizes.QUICK : sizes.FULL;
  return inDatabase(bench, own, async (database) => ({
    changes: await measureChanges(database, own),
    'changes in small transactions': await measureChanges(database, inSmallTransactions(own)),
  }));
}

function benchSteps(bench: BenchInstallation, isQuick: boolean): Promise<Reports> {
  const own = isQuick ? sizes.QUICK_STEPS : sizes.FULL_STEPS;
  return inDatabase(bench, own, async (database) => ({
    steps: await measureSteps(database, own),
  }));
}

function benchSends(bench: BenchInstallation, isQuick: boolean): Promise<Reports> {
  const own = isQuick ? sizes.QUICK_SENDS : sizes.FULL_SENDS;
  return inDatabase(bench, own, async (database) => ({
    sends: await measureSends(database, own),
  }));
}

/** Measured here, in a database of its own on the server of the installation. */
async function inDatabase(
  bench: BenchInstallation,
  { users }: { readonly users: number },
  measure: (database: FreshDatabase) => Promise<Reports>,
): Promise<Reports> {
  const database = await createFreshDatabase(bench, users);
  try {
    return await measure(database);
  } finally {
    await database.drop();
  }
}

async function benchEngines(bench: BenchInstallation, isQuick: boolean): Promise<Reports> {
  const own = isQuick ? sizes.QUICK_ENGINES : sizes.FULL_ENGINES;
  const sink = await startSink();
  try {
    return await measureEngines(bench, { sink, sizes: own });
  } finally {
    sink.stop();
  }
}

/** As many events. Goals are of large transactions, where the cost of an event is least. */
function inSmallTransactions(own: sizes.ChangeSizes): ChangeRun {
  const { transactions, requestsPerTransaction, requestsPerSmallTransaction } = own;
  return {
    ...own,
    transactions: (transactions * requestsPerTransaction) / requestsPerSmallTransaction,
    requestsPerTransaction: requestsPerSmallTransaction,
    hasGoals: false,
  };
}
