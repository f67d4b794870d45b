import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The kinds of devices that a user is reached by. */
export async function readDeviceKinds(sql: Sql, userId: string): Promise<string[]> {
  const { rows } = await sql.query<{ kinds: string[] }>(statement('read-device-kinds'), [userId]);
  return rows[0]?.kinds ?? [];
}
