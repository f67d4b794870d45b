import { afterAll, expect, test } from '@jest/globals';
import { connectTestDatabase } from '@tidings/testing';
import { NOTES } from './outcome-rules.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

/** What a claim, an marking and a recorded outcome change. */
const CHANGED_BY_SENDING = [
  'state',
  'reason',
  'fence',
  'owner',
  'lease_until',
  'attempts',
  'doubts',
  'next_at',
  'updated_at',
  'provider_id',
  'provider_code',
  'provider_message',
  'sent_at',
  'delivered_at',
  'addressed_at',
  'counted_on',
  ...NOTES.map((note) => `${note}_at`),
];

test.each([
  ['deliveries', 4],
  ['delivery_addresses', 2],
])(
  'no index of %s names a column that a send changes, nor does its condition: no update on the way writes to an index',
  async (table, indexes) => {
    const { rows } = await db.sql.query<{ indexname: string; indexdef: string }>(
      'select indexname, indexdef from pg_indexes where tablename = $1',
      [table],
    );

    const isNamed = (definition: string, column: string): boolean =>
      new RegExp(`\\b${column}\\b`).test(definition);
    expect(
      rows.flatMap(({ indexname, indexdef }) =>
        CHANGED_BY_SENDING.filter((column) => isNamed(indexdef, column)).map(
          (column) => `${indexname} names ${column}`,
        ),
      ),
    ).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(indexes);
  },
);
