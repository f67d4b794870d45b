import { mebibytes } from '../report/figures.ts';
import type { Sample } from './sampler.ts';
import type { Point, Series, Tolerance } from './series.ts';

/** Memory varies by this much, and indexes over random keys split pages in waves. */
const MEMORY_TOLERANCE: Tolerance = { share: 0.05 };
const TABLE_TOLERANCE: Tolerance = { share: 0.1 };
/** The page count of a small table does not depend on its rows. */
const SMALL_TABLE_BYTES = 1024 * 1024;

/**
 * One series per measured thing. `recordsPerSecond`: one second of records is the tolerated
 * consumer lag.
 */
export function toSeries(samples: readonly Sample[], recordsPerSecond: number): Series[] {
  const last = samples.at(-1);
  if (last === undefined) return [];
  const points = (pick: (sample: Sample) => number | undefined): Point[] =>
    samples.flatMap((sample) => {
      const value = pick(sample);
      return value === undefined || !Number.isFinite(value)
        ? []
        : [{ atSeconds: sample.atSeconds, value }];
    });
  const memory = (name: string, pick: (sample: Sample) => number | undefined): Series => ({
    name,
    unit: 'MiB',
    tolerance: MEMORY_TOLERANCE,
    points: points(pick).map(({ atSeconds, value }) => ({ atSeconds, value: mebibytes(value) })),
  });

  const services = Object.keys(last.residentBytes);
  const tables = last.tables
    .filter(({ tableBytes }) => tableBytes >= SMALL_TABLE_BYTES)
    .map(({ table }) => table);
  const perRow = (table: string, part: 'tableBytes' | 'indexBytes'): Series => ({
    name: `${table}: ${part === 'tableBytes' ? 'table' : 'indexes'}`,
    unit: 'bytes/row',
    tolerance: TABLE_TOLERANCE,
    points: points(({ tables: sizes }) => {
      const size = sizes.find((one) => one.table === table);
      return size === undefined || size.tableBytes < SMALL_TABLE_BYTES
        ? undefined
        : size[part] / size.rows;
    }),
  });
  return [
    ...services.map((name) => memory(`heap of ${name}`, (sample) => sample.liveHeapBytes?.[name])),
    ...services.map((name) => memory(`resident: ${name}`, (sample) => sample.residentBytes[name])),
    ...tables.flatMap((table) => [perRow(table, 'tableBytes'), perRow(table, 'indexBytes')]),
    {
      name: 'consumer lag',
      unit: 'records',
      tolerance: { amount: recordsPerSecond },
      points: points(({ lag }) => lag),
    },
  ];
}
