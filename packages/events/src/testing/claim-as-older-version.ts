import { messageOf } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import type { KeyClaim } from '../message-keys.ts';

/**
 * Inserts message keys one by one, as versions without namespaces did. Returns whether each message
 * got its keys.
 */
export async function claimAsOlderVersion(
  sql: Sql,
  claims: readonly KeyClaim[],
): Promise<boolean[]> {
  const won: boolean[] = [];
  for (const claim of claims) {
    const { id, time } = messageOf(claim);
    const { applicationId, requestId, receivedAt } = claim.record;
    const { rowCount } = await sql.query(
      `insert into message_keys (application_id, message_id, service_user_id, time, request_id, message_index, received_at)
       values ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000.0)) on conflict do nothing`,
      [
        applicationId,
        id,
        claim.serviceUserId,
        claim.serviceUserId === null ? null : time,
        requestId,
        claim.index,
        receivedAt,
      ],
    );
    won.push(rowCount === 1);
  }
  return won;
}
