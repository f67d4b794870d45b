import { mergeCounterShards } from '@tidings/events/retention/roll-up';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

export const QUARTER_MS = 15 * MINUTE_MS;

export const LONG_MAX = 9_223_372_036_854_775_807n;

export type Row = {
  readonly slug: string;
  readonly time: number | bigint;
  readonly receivedAt: number;
  readonly revenue?: number;
  readonly currency?: string;
  readonly requestId?: string;
};

type Sum = {
  readonly slug: string;
  readonly quarter: number | 'outside';
  readonly currency: string;
  readonly events: number;
  readonly cents: number;
};

const keyOf = ({ slug, quarter, currency }: Sum) => `${slug} ${quarter} ${currency}`;

const sorted = (sums: readonly Sum[]) => sums.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** Helpers for tests that compare the sums of charts with the events. */
export function chartHelpers(db: Database) {
  /** In one statement, as every consumer version stores them. */
  async function store(applicationId: string, rows: readonly Row[]): Promise<void> {
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at, revenue, currency)
     select request_id, 0, $1, 'm', 'action', slug, time, to_timestamp(received_at / 1000.0), revenue, currency
     from unnest($2::uuid[], $3::text[], $4::bigint[], $5::float8[], $6::float8[], $7::text[]) as x(request_id, slug, time, received_at, revenue, currency)
     on conflict (request_id, message_index, received_at) do nothing`,
      [
        applicationId,
        rows.map(({ requestId }) => requestId ?? systemIds.uuid()),
        rows.map(({ slug }) => slug),
        rows.map(({ time }) => String(time)),
        rows.map(({ receivedAt }) => receivedAt),
        rows.map(({ revenue }) => revenue ?? null),
        rows.map(({ currency }) => currency ?? null),
      ],
    );
  }

  /** The sums of the tables, over all backends. */
  async function counted(applicationId: string): Promise<Sum[]> {
    const { rows } = await db.sql.query<{
      slug: string;
      ms: number | null;
      currency: string;
      events: number;
      cents: number;
    }>(
      `select slug, case when quarter < 'infinity' then extract(epoch from quarter)::float8 * 1000 end as ms, currency, sum(events)::int as events, (sum(revenue) * 100)::int as cents
     from event_quarters where application_id = $1 group by slug, quarter, currency`,
      [applicationId],
    );
    return sorted(rows.map(({ ms, ...row }) => ({ ...row, quarter: ms ?? 'outside' })));
  }

  /** The same sums computed from the events, without database functions. */
  async function recounted(applicationId: string): Promise<Sum[]> {
    const { rows } = await db.sql.query<{
      slug: string;
      time: string;
      received_at: Date;
      currency: string | null;
      revenue: number | null;
    }>(
      'select slug, time::text, received_at, currency, revenue from events where application_id = $1',
      [applicationId],
    );
    const sums = rows.map((row): Sum => {
      const [time, arrival] = [Number(row.time), row.received_at.getTime()];
      const isPlaced = time >= arrival - 400 * DAY_MS && time <= arrival + DAY_MS;
      return {
        slug: row.slug,
        quarter: isPlaced ? Math.floor(time / QUARTER_MS) * QUARTER_MS : 'outside',
        currency: row.currency ?? '',
        events: 1,
        cents: Math.round((row.revenue ?? 0) * 100),
      };
    });
    const byKey = Map.groupBy(sums, keyOf).values();
    return sorted(
      [...byKey].map((own) => ({
        ...(own[0] as Sum),
        events: own.length,
        cents: own.reduce((sum, { cents }) => sum + cents, 0),
      })),
    );
  }

  const foldAll = async (before: number): Promise<void> => {
    while (
      (await db.transaction((sql) =>
        mergeCounterShards(sql, 'event_quarters', { before: new Date(before), limit: 60 }),
      )) > 0
    );
  };

  return { store, counted, recounted, foldAll };
}
