import type { Sql } from '@tidings/postgres/database';

/** As making definitions does: names, slugs and pointers are decided by one at a time. */
export async function lockDefinitions(sql: Sql, applicationId: string): Promise<void> {
  await sql.query('select 1 from applications where id = $1 for no key update', [applicationId]);
}
