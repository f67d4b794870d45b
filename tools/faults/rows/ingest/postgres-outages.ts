import { untilRead } from '../../oracles/ingest/lag.ts';
import { CONSUMERS } from '../../rigs/ingest-rig.ts';
import {
  failOver,
  freezePostgres,
  restartPostgres,
  withoutConnections,
} from '../injected-faults/postgres.ts';
import { checkSameProcesses, noteRecovery, listPids } from '../steps.ts';
import type { IngestRow, IngestRun } from './ingest-row.ts';
import { BACK_WITHIN_MS, noteFirstAccepted } from './steps.ts';

const READ_WITHIN_MS = 60_000;

export const postgresAway: IngestRow = {
  id: 'I9',
  fault: 'Postgres restarted, failed over, frozen, out of connections',
  brokers: 1,
  mustAccept: 'with Kafka',
  async inject(run) {
    const { outageMs } = run.plan;
    const before = listPids(run);
    await restartPostgres(run);
    await noteRead(run, 'all read after a restart of Postgres');

    await failOver(run);
    await noteRead(run, 'all read after a standby took over');

    await freeze(run, outageMs);
    await noteRead(run, 'all read after Postgres was frozen');

    await withoutConnections(run, { forMs: outageMs / 2, services: CONSUMERS });
    await noteRead(run, 'all read after Postgres had no connections left');
    checkSameProcesses(run, before);
  },
};

/** Without Kafka, the bus is in Postgres: meanwhile no batch can be accepted. */
async function freeze(run: IngestRun, forMs: number): Promise<void> {
  const from = performance.now();
  await freezePostgres(run, forMs);
  const to = performance.now();
  if (run.rig.kafkaNodes.length > 0) return;
  run.outages.push({ from, to });
  await noteFirstAccepted(run, {
    what: 'first 200 after Postgres was frozen',
    from: to,
    msMax: BACK_WITHIN_MS,
  });
}

export async function noteRead(
  run: IngestRun,
  what: string,
  msMax = READ_WITHIN_MS,
): Promise<void> {
  noteRecovery(run, { what, ms: await untilRead(run.rig.bus, READ_WITHIN_MS), msMax });
}
