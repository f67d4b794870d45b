import { registerUsers } from '../installation/register-users.ts';
import { startBenchInstallation } from '../installation/bench-installation.ts';
import type { PartReport } from '../report/figures.ts';
import { machineFacts } from '../report/machine.ts';
import { reportParts } from '../report/report-parts.ts';
import type { RowsName } from '../rows/row-counts.ts';
import { createIngestBench } from './context.ts';
import { FULL, QUICK } from './durations.ts';
import type { IngestBench } from './ingest-bench.ts';
import { measureConsumers } from './parts/consumers.ts';
import { measureCpu } from './parts/cpu.ts';
import { measureLatency } from './parts/latency.ts';
import { measureOverload } from './parts/overload.ts';
import { measureTenants } from './parts/tenant.ts';

/** In the order they run; parts that leave a backlog come last. */
const PARTS = {
  consumers: measureConsumers,
  latency: measureLatency,
  tenant: measureTenants,
  overload: measureOverload,
  cpu: measureCpu,
} as const satisfies Record<string, (run: IngestBench) => Promise<PartReport>>;
export type IngestPart = keyof typeof PARTS;
export const INGEST_PARTS = Object.keys(PARTS) as IngestPart[];
/** Without one of these an installation starts empty, which is sooner. */
const NEED_ROWS: readonly IngestPart[] = ['consumers'];

/** Measures ingest part by part on one installation: ratios within one run, with their goals. */
export async function benchIngest({
  parts,
  isQuick,
  rows,
}: {
  readonly parts: readonly IngestPart[];
  readonly isQuick: boolean;
  readonly rows: RowsName;
}): Promise<void> {
  const durations = isQuick ? QUICK : FULL;
  const machine = machineFacts();
  const reports: Partial<Record<IngestPart, PartReport>> = {};
  console.error('Starting an installation …');
  const bench = await startBenchInstallation({
    rows: parts.some((part) => NEED_ROWS.includes(part)) ? rows : 'none',
  });
  try {
    await registerUsers(bench);
    const run = createIngestBench(bench, durations);
    for (const part of INGEST_PARTS.filter((name) => parts.includes(name))) {
      console.error(`${part} …`);
      reports[part] = await PARTS[part](run);
    }
  } finally {
    await bench.stop();
  }
  reportParts({
    name: 'ingest',
    machine,
    stores: bench.stores,
    settings: { 'Rows at the start': bench.rows.description, Sizes: JSON.stringify(durations) },
    isQuick,
    reports,
  });
}
