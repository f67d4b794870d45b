import type { ReceiptReason } from '@tidings/contracts';
import { isUuid } from '@tidings/platform';
import type { Sql } from '../database.ts';
import { holdIdentities } from './deleted-identities.ts';
import { identityKey, planIdentities } from './identity-plan.ts';
import { ensureUsers, findUsers, giveServiceUserIds, insertClaims, readOwners } from './identity-rows.ts';
import { mergeAnonymousUsers } from './merge-users.ts';
import type { IngestRecord } from './record.ts';

/** Who a record speaks of; null for a business event without a user. With a reason it is refused, and its messages count for nobody. */
export type Identity = { readonly userId: string | null; readonly reason?: ReceiptReason };

const ROUNDS_MAX = 20;

/**
 * The user of each record, by request id. A known serviceUserId names its user; one nobody has, sent with a
 * customUserId, becomes a further one of that user; an anonymous user's is merged into the customUserId's user.
 * First come by unique key: what another transaction decided meanwhile is read and decided upon again. A record from
 * before its user was deleted speaks of nobody. One that is refused makes nobody known, but names whom its customUserId does.
 * @callers ingest-consumer
 */
export async function resolveIdentities(sql: Sql, records: readonly IngestRecord[]): Promise<ReadonlyMap<string, Identity>> {
  const invalid = records.flatMap(withoutInvalidIds);
  const valid = records.filter((record) => invalidReason(record) === undefined);
  const isDeleted = await holdIdentities(sql, [...valid, ...invalid.map(({ record }) => record)]);
  const usable = valid.filter((record) => !isDeleted(record));
  const refused: [string, Identity][] = [
    ...(await nameInvalid(sql, invalid, isDeleted)),
    ...valid.filter(isDeleted).map(({ requestId }): [string, Identity] => [requestId, { userId: null, reason: 'unregistered_user' }]),
  ];
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

type InvalidRecord = { readonly record: IngestRecord; readonly reason: ReceiptReason };

/** A record with an invalid id, as it is without it. */
function withoutInvalidIds(record: IngestRecord): InvalidRecord[] {
  const reason = invalidReason(record);
  return reason === undefined ? [] : [{ record: { ...record, customUserId: record.customUserId === '' ? null : record.customUserId, serviceUserId: null }, reason }];
}

async function nameInvalid(sql: Sql, invalid: readonly InvalidRecord[], isDeleted: (record: IngestRecord) => boolean): Promise<[string, Identity][]> {
  const named = invalid.flatMap(({ record }) => {
    const { applicationId, customUserId } = record;
    return customUserId === null || isDeleted(record) ? [] : [{ applicationId, customUserId }];
  });
  const users = await findUsers(sql, named);
  return invalid.map(({ record: { requestId, applicationId, customUserId }, reason }) => [
    requestId,
    { userId: users.get(identityKey(applicationId, customUserId ?? ''))?.userId ?? null, reason },
  ]);
}
