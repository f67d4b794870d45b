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
  }: { readonly automationId: string; readonly applicationId: string; readonly at: number },
): Promise<number> {
  const own = values.length;
  const { rowCount } = await sql.query(
    `with member as materialized (select m.custom_user_id from (${text}) m)
     insert into automation_arrivals (automation_id, application_id, at, user_id)
     select $${own + 1}::uuid, $${own + 2}::uuid, to_timestamp($${own + 3}::float8 / 1000), u.id
     from member m join users u on u.application_id = $${own + 2}::uuid
       and u.custom_user_id = m.custom_user_id and u.registered_at is not null
     on conflict do nothing`,
    [...values, automationId, applicationId, at],
  );
  return rowCount ?? 0;
}
