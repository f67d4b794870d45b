import type { ReceiptReason } from '@tidings/contracts';
import { isUuid } from '@tidings/platform';
import type { Sql } from '../database.ts';
import { holdIdentities } from './deleted-identities.ts';
import { planIdentities } from './identity-plan.ts';
import { ensureUsers, giveServiceUserIds, insertClaims, readOwners } from './identity-rows.ts';
import { mergeAnonymousUsers } from './merge-users.ts';
import type { IngestRecord } from './record.ts';

/** Who a record speaks of; null for a business event without a user. */
export type Identity = { readonly userId: string | null } | { readonly reason: ReceiptReason };

const ROUNDS_MAX = 20;

/**
 * The user of each record, by request id. A known serviceUserId names its user; one nobody has, sent with a
 * customUserId, becomes a further one of that user; an anonymous user's is merged into the customUserId's user.
 * First come by unique key: what another transaction decided meanwhile is read and decided upon again. A record from
 * before its user was deleted speaks of nobody.
 * @callers ingest-consumer
 */
export async function resolveIdentities(sql: Sql, records: readonly IngestRecord[]): Promise<ReadonlyMap<string, Identity>> {
  const isDeleted = await holdIdentities(sql, records.filter((record) => invalidReason(record) === undefined));
  const refused = new Map(
    records.flatMap((record) => {
      const reason = invalidReason(record) ?? (isDeleted(record) ? 'unregistered_user' : undefined);
      return reason === undefined ? [] : [[record.requestId, { reason }] as const];
    }),
  );
  const usable = records.filter((record) => !refused.has(record.requestId));
  const users = await ensureUsers(sql, usable);

  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const plan = planIdentities(usable, { users, owners: await readOwners(sql, usable) });
    if (!(await insertClaims(sql, plan.claims))) continue;
    if (!(await mergeAnonymousUsers(sql, plan.merges))) continue;
    await giveServiceUserIds(sql, plan.withoutServiceUserId);
    return new Map<string, Identity>([...refused, ...plan.identities]);
  }
  throw new Error('identities kept changing while they were resolved');
}

function invalidReason({ customUserId, serviceUserId }: IngestRecord): ReceiptReason | undefined {
  if (customUserId === '') return 'empty_user_id';
  if (serviceUserId !== null && !isUuid(serviceUserId)) return 'invalid_service_user_id';
  return undefined;
}
