import { DEVICE_KIND_OF } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { proves } from './proofs.ts';

/** SQL that says whether the device `v` can be reached and proved to be used by the user whose id is this SQL. */
export const isLiveDeviceOf = (userId: string): string =>
  `v.address is not null and ${proves('v', userId)}`;

const KINDS = Object.values(DEVICE_KIND_OF)
  .map((kind) => `'${kind}'`)
  .join(', ');

/** SQL of the kinds of devices that the user `u` is reached by, as JSON. */
export const DEVICE_KINDS_OF = `(select coalesce(jsonb_agg(distinct v.kind), '[]') from devices v where ${isLiveDeviceOf('u.id')} and v.kind in (${KINDS}))`;

/** The kinds of devices that a user is reached by. */
export async function readDeviceKinds(sql: Sql, userId: string): Promise<string[]> {
  const { rows } = await sql.query<{ kinds: string[] }>(
    `select ${DEVICE_KINDS_OF} as kinds from users u where u.id = $1`,
    [userId],
  );
  return rows[0]?.kinds ?? [];
}
