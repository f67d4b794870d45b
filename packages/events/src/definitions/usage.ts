import type { Sql } from '@tidings/postgres/database';

/** The events of a definition, those of definitions that were merged into it included. */
export type DefinitionUsage = {
  readonly events: number;
  /** By the time of the events, to the quarter hour. */
  readonly eventsLastDay: number;
  readonly lastReceivedAt: number | null;
};

export const NO_USAGE: DefinitionUsage = { events: 0, eventsLastDay: 0, lastReceivedAt: null };

const ROOT = 'coalesce(d.merged_into, d.slug)';

/** By slug, of the definitions that stand for events now; one without events is absent. */
export async function readDefinitionUsage(
  sql: Sql,
  applicationId: string,
): Promise<ReadonlyMap<string, DefinitionUsage>> {
  const { rows } = await sql.query<{
    slug: string;
    events: number;
    last_day: number;
    last_at: Date;
  }>(
    `select ${ROOT} as slug, sum(h.events)::float8 as events, sum(q.events)::float8 as last_day, max(h.last_at) as last_at
     from (select slug, sum(events) as events, max(last_received_at) as last_at from definition_hours where application_id = $1 group by slug) as h
     join definitions d on d.application_id = $1 and d.slug = h.slug
     cross join lateral (
       select coalesce(sum(events), 0) as events from event_quarters
       where application_id = $1 and slug = h.slug and quarter > now() - interval '1 day' and quarter <= now()) as q
     group by 1`,
    [applicationId],
  );
  return new Map(
    rows.map((row) => [
      row.slug,
      { events: row.events, eventsLastDay: row.last_day, lastReceivedAt: row.last_at.getTime() },
    ]),
  );
}
