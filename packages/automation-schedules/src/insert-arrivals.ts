import type { Sql } from '@tidings/postgres/database';

/**
 * Stores who is to enter an automation at an instant: one statement, so all members of one moment.
 * Returns how many. @callers automation-schedules
 */
export async function insertArrivals(
  sql: Sql,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
  {
    automationId,
    applicationId,
    at,
    isOnce,
  }: {
    readonly automationId: string;
    readonly applicationId: string;
    readonly at: number;
    /** Without those who have entered before. */
    readonly isOnce: boolean;
  },
): Promise<number> {
  const own = values.length;
  const { rowCount } = await sql.query(
    `with member as materialized (select m.custom_user_id from (${text}) m)
     insert into automation_arrivals (automation_id, application_id, at, user_id)
     select $${own + 1}::uuid, $${own + 2}::uuid, to_timestamp($${own + 3}::float8 / 1000), u.id
     from member m join users u on u.application_id = $${own + 2}::uuid
       and u.custom_user_id = m.custom_user_id and u.registered_at is not null
     where not $${own + 4}::boolean or not exists (
       select from automation_entries e
       where e.automation_id = $${own + 1}::uuid and e.user_id = u.id
     )
     on conflict do nothing`,
    [...values, automationId, applicationId, at, isOnce],
  );
  return rowCount ?? 0;
}
