import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * Takes the same lock as creating definitions: names, slugs and pointers change one transaction at
 * a time.
 */
export async function lockDefinitions(sql: Sql, applicationId: string): Promise<void> {
  await sql.query(statement('lock-definitions'), [applicationId]);
}
