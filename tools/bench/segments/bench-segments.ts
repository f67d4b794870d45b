import { startBenchInstallation } from '../installation/bench-installation.ts';
import { machineFacts } from '../report/machine.ts';
import { reportParts } from '../report/report-parts.ts';
import { measureAllUsers } from './all-users.ts';
import { createAsked } from './ask.ts';
import { measureOneUser } from './one-user.ts';
import { seed } from './seed.ts';
import { seedMessages } from './seed-messages.ts';
import { FULL, QUICK } from './sizes.ts';
import { measureSnapshot } from './snapshot.ts';

/** Questions about a million users, twenty million events and three million messages, each beside its reference. */
export async function benchSegments({
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
  try {
    const { applicationId, headers } = bench.tenant;
    await seed(bench.db, applicationId, sizes);
    await seedMessages(bench.db, applicationId, sizes);
    const asked = createAsked({
      db: bench.db,
      applicationId,
      sizes,
      url: bench.tidings.serviceUrl('api'),
      headers,
    });
    const reports = {
      ...(await measureAllUsers(asked)),
      'one user': await measureOneUser(asked),
      snapshot: await measureSnapshot(asked),
    };
    reportParts({ name: 'segments', machine, stores: bench.stores, isQuick, reports });
  } finally {
    await bench.stop();
  }
}
