import type { ReceiptReason } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { isUuid } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { readIngestSettings } from './application-settings.ts';
import { shareIdentities } from './deleted-identities.ts';
import type { Identity } from './identity.ts';
import { identityKey, planIdentities } from './identity-plan.ts';
import {
  ensureUsers,
  findUsers,
  assignServiceUserIds,
  insertClaims,
  readOwners,
} from './identity-rows.ts';
import { readClientJoins } from './joined-by-clients.ts';
import { mergeAnonymousUsers } from './merge-users.ts';

const ROUNDS_MAX = 20;

/**
 * Resolves the user of each record. The result is keyed by request id.
 *
 * - A known serviceUserId names its user.
 * - An unknown serviceUserId with a customUserId is joined to that user. If it belongs to an
 *   anonymous user, that user is merged.
 * - Only a Server key or a proof may join ids. Otherwise the serviceUserId is ignored, and the
 *   messages count for the customUserId.
 * - A device that proves its user joins the ids at once, so its messages find them joined.
 * - Without a user token, Client keys and devices join a limited number of ids per person; ids
 *   above the limit are ignored. Messages of a device still count as proved while its proof is valid.
 * - A record accepted before its user was deleted names no user.
 * - A rejected record creates no user, but names the existing user of its customUserId.
 *
 * Unique keys decide races: the round is repeated with what other transactions committed.
 * @callers ingest-consumer
 */
export async function resolveIdentities(
  sql: Sql,
  records: readonly IngestRecord[],
): Promise<ReadonlyMap<string, Identity>> {
  const invalid = records.flatMap(withoutInvalidIds);
  const valid = records.filter((record) => invalidReason(record) === undefined);
  const isDeleted = await shareIdentities(sql, [...valid, ...invalid.map(({ record }) => record)]);
  const usable = valid.filter((record) => !isDeleted(record));
  const rejected: [string, Identity][] = [
    ...(await identifyInvalid(sql, invalid, isDeleted)),
    ...valid
      .filter(isDeleted)
      .map(({ requestId }): [string, Identity] => [
        requestId,
        { userId: null, isProved: false, isRegistered: false, reason: 'unregistered_user' },
      ]),
  ];
  const isTrusted = await readTrust(sql, usable);
  const users = await ensureUsers(sql, usable);

  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const known = { users, owners: await readOwners(sql, usable), isTrusted };
    const plan = planIdentities(usable, {
      ...known,
      ...(await readClientJoins(sql, usable, known)),
    });
    if (!(await insertClaims(sql, plan.claims))) continue;
    if (!(await mergeAnonymousUsers(sql, plan.merges))) continue;
    await assignServiceUserIds(sql, plan.withoutServiceUserId);
    return new Map<string, Identity>([...rejected, ...plan.identities]);
  }
  throw new Error('identities kept changing while they were resolved');
}

/** Whether a record may join a serviceUserId to a person. */
async function readTrust(
  sql: Sql,
  records: readonly IngestRecord[],
): Promise<(record: IngestRecord) => boolean> {
  const isProved = ({ keyType, userProof }: IngestRecord): boolean =>
    keyType === 'server' || userProof !== undefined;
  const unproved = records.filter((record) => !isProved(record));
  if (unproved.length === 0) return isProved;
  const settingsOf = await readIngestSettings(
    sql,
    unproved.map(({ applicationId }) => applicationId),
  );
  return (record) => isProved(record) || settingsOf(record.applicationId).userTokens === 'optional';
}

function invalidReason({ customUserId, serviceUserId }: IngestRecord): ReceiptReason | undefined {
  if (customUserId === '') return 'empty_user_id';
  if (serviceUserId !== null && !isUuid(serviceUserId)) return 'invalid_service_user_id';
  return undefined;
}

type InvalidRecord = { readonly record: IngestRecord; readonly reason: ReceiptReason };

/** The record without its invalid ids. */
function withoutInvalidIds(record: IngestRecord): InvalidRecord[] {
  const reason = invalidReason(record);
  return reason === undefined
    ? []
    : [
        {
          record: {
            ...record,
            customUserId: record.customUserId === '' ? null : record.customUserId,
            serviceUserId: null,
          },
          reason,
        },
      ];
}

async function identifyInvalid(
  sql: Sql,
  invalid: readonly InvalidRecord[],
  isDeleted: (record: IngestRecord) => boolean,
): Promise<[string, Identity][]> {
  const named = invalid.flatMap(({ record }) => {
    const { applicationId, customUserId } = record;
    return customUserId === null || isDeleted(record) ? [] : [{ applicationId, customUserId }];
  });
  const users = await findUsers(sql, named);
  return invalid.map(({ record: { requestId, applicationId, customUserId }, reason }) => {
    const user = users.get(identityKey(applicationId, customUserId ?? ''));
    const identity = {
      userId: user?.userId ?? null,
      isProved: false,
      isRegistered: user?.isRegistered ?? false,
      reason,
    };
    return [requestId, identity];
  });
}
