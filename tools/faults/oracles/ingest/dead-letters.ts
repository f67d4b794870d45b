import type { Database } from '@tidings/postgres/database';
import type { Poison } from '../../load/ingest/poison.ts';

/** Ids of the stored dead letters. */
export async function deadLetterIds(db: Database): Promise<ReadonlySet<string>> {
  const { rows } = await db.sql.query<{ id: string }>('select id from dead_letters');
  return new Set(rows.map(({ id }) => id));
}

/**
 * Dead letters: exactly the intended ones besides those of `before`, once per consumer that reads
 * them.
 */
export async function checkDeadLetters(
  db: Database,
  { poison, before }: { readonly poison: readonly Poison[]; readonly before: ReadonlySet<string> },
): Promise<{ readonly count: number; readonly faults: readonly string[] }> {
  const { rows: all } = await db.sql.query<{
    id: string;
    consumer: string;
    partition: number;
    record_offset: string;
    value: Buffer | null;
  }>('select id, consumer, partition, record_offset, value from dead_letters');
  const rows = all.filter(({ id }) => !before.has(id));
  const expected = new Map<string, Buffer>(
    poison.flatMap((one) =>
      one.consumers.map(
        (consumer) => [`${consumer} ${one.partition}/${one.offset}`, one.value] as const,
      ),
    ),
  );
  const found = new Map(
    rows.map((row) => [`${row.consumer} ${row.partition}/${row.record_offset}`, row.value]),
  );
  return {
    count: rows.length,
    faults: [
      ...[...expected.keys()]
        .filter((key) => !found.has(key))
        .map((key) => `poison without a dead letter: ${key}`),
      ...[...found.keys()]
        .filter((key) => !expected.has(key))
        .map((key) => `a dead letter that is not poison: ${key}`),
      ...[...expected]
        .filter(([key, value]) => found.get(key)?.equals(value) === false)
        .map(([key]) => `a dead letter with other bytes: ${key}`),
    ],
  };
}
