import { ONE_PROCESS } from '@tidings/local';
import type { Database } from '@tidings/postgres/database';
import type { Figure, Goal } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { readCpuSeconds } from './cpu-seconds.ts';
import { INGEST_CONSUMERS } from './ingest-lag.ts';

/** Groups of processes in the order in which they are printed. */
const GROUPS = [
  'gateway',
  'consumers',
  'campaigns',
  'worker',
  'one process',
  'other services',
  'sandbox',
  'Postgres',
  'Kafka',
  'Redis',
  'sink',
] as const;
export type CostGroup = (typeof GROUPS)[number];

export type MeasuredProcess = { readonly group: CostGroup; readonly processId: number };

/** CPU seconds of each process so far, and the bytes of WAL written so far. */
export type Counters = {
  readonly cpu: ReadonlyMap<number, { readonly group: CostGroup; readonly seconds: number }>;
  readonly walBytes: number;
};

/** What one unit of work cost: CPU seconds by group, and bytes of WAL. */
export type Costs = {
  readonly cpuSeconds: Readonly<Record<CostGroup, number>>;
  readonly walBytes: number;
};

type Store = { readonly pid: number } | undefined;
/** The parts of an installation whose processes are measured. */
export type MeasuredInstallation = {
  readonly tidings: {
    readonly supervisor: {
      list(): readonly { readonly name: string; readonly pid: number }[];
    };
    readonly stack: {
      readonly parts: {
        readonly postgres?: Store;
        readonly kafka?: Store;
        readonly redis?: Store;
      };
    };
  };
  readonly db: Database;
};

const MICROSECONDS = 1_000_000;

/** `others` are processes outside the installation, such as the sink. */
export async function readCounters(
  bench: MeasuredInstallation,
  others: readonly MeasuredProcess[] = [],
): Promise<Counters> {
  const { rows } = await bench.db.sql.query<{ bytes: number }>(
    `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`,
  );
  const processes = [...listProcesses(bench), ...others];
  return {
    cpu: new Map(
      processes.map(({ group, processId }) => [
        processId,
        { group, seconds: readCpuSeconds(processId) },
      ]),
    ),
    walBytes: rows[0]?.bytes ?? NaN,
  };
}

/** Processes that ended in between are not counted; those that started in between are. */
export function costsBetween(before: Counters, after: Counters, units: number): Costs {
  const sumSeconds = (wanted: CostGroup): number => {
    let sum = 0;
    for (const [processId, { group, seconds }] of after.cpu)
      if (group === wanted) sum += seconds - (before.cpu.get(processId)?.seconds ?? 0);
    return sum / units;
  };
  return {
    cpuSeconds: Object.fromEntries(
      GROUPS.map((group) => [group, sumSeconds(group)]),
    ) as Costs['cpuSeconds'],
    walBytes: (after.walBytes - before.walBytes) / units,
  };
}

/** Medians over rounds. `unit` names the unit of work, as in "per delivery". */
export function costFigures(
  rounds: readonly Costs[],
  unit: string,
  goals: Partial<Record<CostGroup | 'WAL', Goal>> = {},
): Figure[] {
  return [
    ...GROUPS.map((group) => ({
      name: `CPU of ${group}, per ${unit}`,
      value: median(rounds.map(({ cpuSeconds }) => cpuSeconds[group])) * MICROSECONDS,
      unit: 'microseconds' as const,
      goal: goals[group],
    })).filter(({ value, goal }) => value > 0 || goal !== undefined),
    {
      name: `WAL, per ${unit}`,
      value: median(rounds.map(({ walBytes }) => walBytes)),
      unit: 'bytes',
      goal: goals.WAL,
      note: 'full-page images included',
    },
  ];
}

/** The processes of an installation, its stores included. */
export function listProcesses({
  tidings: { supervisor, stack },
}: MeasuredInstallation): MeasuredProcess[] {
  const { postgres, kafka, redis } = stack.parts;
  const stores = [
    { group: 'Postgres', store: postgres },
    { group: 'Kafka', store: kafka },
    { group: 'Redis', store: redis },
  ] as const;
  return [
    ...supervisor.list().map(({ name, pid }) => ({ group: chooseGroup(name), processId: pid })),
    ...stores.flatMap(({ group, store }) =>
      store === undefined ? [] : [{ group, processId: store.pid }],
    ),
  ];
}

function chooseGroup(service: string): CostGroup {
  if (service === 'gateway' || service === 'campaigns') return service;
  if (service === ONE_PROCESS) return 'one process';
  if (service === 'sandbox') return 'sandbox';
  if (INGEST_CONSUMERS.some((name) => name === service)) return 'consumers';
  return service.startsWith('worker-') ? 'worker' : 'other services';
}
