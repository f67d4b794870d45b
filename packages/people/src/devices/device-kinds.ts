import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The device kinds that can reach a user. */
export async function readDeviceKinds(sql: Sql, userId: string): Promise<string[]> {
  const { rows } = await sql.query<{ kinds: string[] }>(statement('read-device-kinds'), [userId]);
  return rows[0]?.kinds ?? [];
}
