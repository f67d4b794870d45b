import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** As making definitions does: names, slugs and pointers are decided by one at a time. */
export async function lockDefinitions(sql: Sql, applicationId: string): Promise<void> {
  await sql.query(statement('lock-definitions'), [applicationId]);
}
