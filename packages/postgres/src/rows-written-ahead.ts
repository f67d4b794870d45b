import { Counter } from '@tidings/platform';

const writtenAheadTotal = new Counter({
  name: 'tidings_rows_written_ahead_total',
  help: 'Rows written while Postgres’ clock was ahead and made due after its correction, by table.',
  labelNames: ['table'] as const,
});

/** Counts rows that were written while the clock of Postgres was ahead. @callers campaigns, webhooks */
export function countRowsWrittenAhead(table: string, rows: number): void {
  writtenAheadTotal.inc({ table }, rows);
}
