import { createFreshDatabase } from '../delivery/fresh-database.ts';
import { startBenchInstallation } from '../installation/bench-installation.ts';
import { machineFacts } from '../report/machine.ts';
import { reportParts } from '../report/report-parts.ts';
import { measureChanges, type ChangeRun } from './changes.ts';
import { FULL, QUICK, type ChangeSizes } from './sizes.ts';

/** As many events. Goals are of large transactions, where the cost of an event is least. */
function inSmallTransactions(sizes: ChangeSizes): ChangeRun {
  const { transactions, requestsPerTransaction, requestsPerSmallTransaction } = sizes;
  return {
    ...sizes,
    transactions: (transactions * requestsPerTransaction) / requestsPerSmallTransaction,
    requestsPerTransaction: requestsPerSmallTransaction,
    hasGoals: false,
  };
}

/** What automations cost others: each figure beside the same without it, in alternating transactions. */
export async function benchAutomations({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  const machine = machineFacts();
  const sizes = isQuick ? QUICK : FULL;
  console.error('Starting an installation …');
  const bench = await startBenchInstallation();
  try {
    // What is measured runs here, in a database of its own on the same server.
    await bench.stopConsumers();
    const database = await createFreshDatabase(bench, sizes.users);
    const reports = {
      changes: await measureChanges(database, sizes),
      'changes in small transactions': await measureChanges(database, inSmallTransactions(sizes)),
    };
    await database.drop();
    reportParts({
      name: 'automations',
      machine,
      stores: bench.stores,
      settings: { Sizes: JSON.stringify(sizes) },
      isQuick,
      reports,
    });
  } finally {
    await bench.stop();
  }
}
