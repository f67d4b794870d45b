import { homeLayout } from '@tidings/local';
import type { BenchInstallation } from '../installation/bench-installation.ts';
import { readProcess } from '../installation/process-metrics.ts';
import { liveHeapBytes } from '../../stack/inspect-heap.ts';
import { readTableSizes, type TableSize } from './table-sizes.ts';

/** One sample of all series. */
export type Sample = {
  readonly atSeconds: number;
  /** Changes if the service was restarted. */
  readonly processIds: Readonly<Record<string, number>>;
  readonly residentBytes: Readonly<Record<string, number>>;
  /** Only in some samples: forced collections would keep memory smaller than normal. */
  readonly liveHeapBytes?: Readonly<Record<string, number>>;
  readonly tables: readonly TableSize[];
  readonly lag: number;
};

/** Replaces the providers and is not part of an installation. */
const NOT_OURS = 'sandbox';

/** Memory first, since a forced collection changes resident memory. */
export async function takeSample(
  { tidings, db, lag }: BenchInstallation,
  { atSeconds, hasHeap }: { readonly atSeconds: number; readonly hasHeap: boolean },
): Promise<Sample> {
  const services = tidings.supervisor.list().filter(({ name }) => name !== NOT_OURS);
  const { logFile } = homeLayout(tidings.home);
  const ofEach = async (
    read: (service: (typeof services)[number]) => Promise<number>,
  ): Promise<Record<string, number>> =>
    Object.fromEntries(
      await Promise.all(
        services.map(async (service) => [service.name, await read(service)] as const),
      ),
    );
  const residentBytes = await ofEach(
    async ({ metricsUrl }) => (await readProcess(metricsUrl)).residentBytes,
  );
  const [tables, behind] = await Promise.all([readTableSizes(db), lag.read()]);
  return {
    atSeconds,
    processIds: Object.fromEntries(services.map(({ name, pid }) => [name, pid])),
    residentBytes,
    tables,
    lag: behind,
    ...(hasHeap && { liveHeapBytes: await ofEach(({ name }) => liveHeapBytes(logFile(name))) }),
  };
}
