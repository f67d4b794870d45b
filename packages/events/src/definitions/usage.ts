import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The events of a definition, including those of definitions merged into it. */
export type DefinitionUsage = {
  readonly events: number;
  /** By event time, in quarter-hour steps. */
  readonly eventsLastDay: number;
  readonly lastReceivedAt: number | null;
};

export const NO_USAGE: DefinitionUsage = { events: 0, eventsLastDay: 0, lastReceivedAt: null };

/** Usage by slug of unmerged definitions. A definition without events is absent. */
export async function readDefinitionUsage(
  sql: Sql,
  applicationId: string,
): Promise<ReadonlyMap<string, DefinitionUsage>> {
  const { rows } = await sql.query<{
    slug: string;
    events: number;
    last_day: number;
    last_at: Date;
  }>(statement('read-definition-usage'), [applicationId]);
  return new Map(
    rows.map((row) => [
      row.slug,
      { events: row.events, eventsLastDay: row.last_day, lastReceivedAt: row.last_at.getTime() },
    ]),
  );
}
