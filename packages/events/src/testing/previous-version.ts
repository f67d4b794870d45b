import type { ReceiptReason } from '@tidings/contracts/ingest/ingest';
import { messageIndexOf, messageOf } from '@tidings/contracts/ingest/ingest-record';
import type { Sql } from '@tidings/postgres/database';
import { decideDuplicates, type WantedKeys } from '../decide-duplicates.ts';
import type { KeyClaim } from '../message-keys.ts';

/**
 * Claims message keys as the version before duplicate_keys did, by its statements: it knows
 * message_keys alone.
 */
export async function claimAsPreviousVersion(
  sql: Sql,
  claims: readonly KeyClaim[],
): Promise<(ReceiptReason | null)[]> {
  const keys = claims.map(toKey);
  const unread = decideDuplicates(keys, { byId: new Set(), byUserTime: new Set() });
  const isAnyRepeated = unread.some((reason) => reason !== null);
  for (let round = 0; round < 20; round += 1) {
    const isRead = round > 0 || isAnyRepeated;
    const standing = isRead ? await readKeys(sql, keys) : null;
    const decisions = standing === null ? unread : decideDuplicates(keys, standing);
    const isOwn = ({ ref }: Key): boolean => standing?.own.has(ref) === true;
    const losers = keys.filter((key, index) => decisions[index] !== null && isOwn(key));
    if (losers.length > 0) await sql.query(DELETE, identities(losers));
    const winners = keys.filter((key, index) => decisions[index] === null && !isOwn(key));
    if (winners.length === 0) return decisions;
    const { rowCount } = await sql.query(INSERT, columns(winners));
    if (rowCount === winners.length) return decisions;
  }
  throw new Error('message keys kept changing while they were claimed');
}

/**
 * Stores keys as they were in message_keys before the migration. `holdsBoth`: a version without
 * name spaces stored them.
 */
export async function storeBeforeMigration(
  sql: Sql,
  claims: readonly KeyClaim[],
  { holdsBoth = false } = {},
): Promise<void> {
  // Without triggers, until the transaction ends.
  await sql.query("select set_config('session_replication_role', 'replica', true)");
  await sql.query(INSERT, columns(claims.map(toKey)));
  await sql.query('update message_keys set holds_both = $1 where request_id = any($2::uuid[])', [
    holdsBoth,
    claims.map(({ record }) => record.requestId),
  ]);
  await sql.query("select set_config('session_replication_role', 'origin', true)");
}

type Key = WantedKeys & { readonly ref: string; readonly claim: KeyClaim; readonly time: string };

function toKey(claim: KeyClaim): Key {
  const { applicationId, keyType, requestId } = claim.record;
  const { id, time } = messageOf(claim);
  return {
    ref: `${requestId}:${messageIndexOf(claim)}`,
    claim,
    byId: `${applicationId}:${keyType}:${id}`,
    byUserTime: claim.serviceUserId && `${applicationId}:${claim.serviceUserId}:${time}`,
    time: String(time),
  };
}

type ExistingKey = {
  readonly application_id: string;
  readonly message_id: string;
  readonly origin: string;
  readonly holds_both: boolean;
  readonly service_user_id: string | null;
  readonly time: string | null;
  readonly ref: string;
};

async function readKeys(sql: Sql, keys: readonly Key[]) {
  const { rows } = await sql.query<ExistingKey>(READ, columns(keys).slice(0, 5));
  const refs = new Set(keys.map(({ ref }) => ref));
  const [byId, byUserTime, own] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const row of rows) {
    if (refs.has(row.ref)) {
      own.add(row.ref);
      continue;
    }
    for (const origin of row.holds_both ? ['server', 'client'] : [row.origin])
      byId.add(`${row.application_id}:${origin}:${row.message_id}`);
    byUserTime.add(`${row.application_id}:${row.service_user_id}:${row.time}`);
  }
  return { byId, byUserTime, own };
}

function columns(keys: readonly Key[]): unknown[] {
  const ordered = [...keys].sort((a, b) => (a.byId < b.byId ? -1 : 1));
  return [
    ordered.map(({ claim }) => claim.record.applicationId),
    ordered.map(({ claim }) => messageOf(claim).id),
    ordered.map(({ claim }) => claim.record.keyType),
    ordered.map(({ claim }) => claim.serviceUserId),
    ordered.map(({ time }) => time),
    ordered.map(({ claim }) => claim.record.requestId),
    ordered.map(({ claim }) => messageIndexOf(claim)),
    ordered.map(({ claim }) => claim.record.receivedAt),
  ];
}

function identities(keys: readonly Key[]): unknown[] {
  return [
    keys.map(({ claim }) => claim.record.applicationId),
    keys.map(({ claim }) => messageOf(claim).id),
    keys.map(({ claim }) => claim.record.requestId),
    keys.map(({ claim }) => messageIndexOf(claim)),
  ];
}

const INSERT = `
  insert into message_keys (application_id, message_id, origin, holds_both, service_user_id, time, request_id, message_index, received_at)
  select application_id, message_id, origin, false, service_user_id, case when service_user_id is null then null else time end,
         request_id, message_index, to_timestamp(received_at / 1000.0)
  from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::bigint[], $6::uuid[], $7::int[], $8::float8[])
    as x(application_id, message_id, origin, service_user_id, time, request_id, message_index, received_at)
  on conflict do nothing`;

const DELETE = `
  delete from message_keys k
  using unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[]) as w(application_id, message_id, request_id, message_index)
  where k.application_id = w.application_id and k.message_id = w.message_id
    and k.request_id = w.request_id and k.message_index = w.message_index`;

const FOUND = `k.application_id, k.message_id, k.origin, k.holds_both, k.service_user_id, k.time,
               k.request_id || ':' || k.message_index as ref`;
const READ = `
  with wanted as (
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::bigint[])
      as w(application_id, message_id, origin, service_user_id, time))
  select found.* from wanted w cross join lateral (
    select ${FOUND} from message_keys k
    where k.application_id = w.application_id and k.message_id = w.message_id and (k.origin = w.origin or k.holds_both)
    limit 1) found
  union all
  select found.* from wanted w cross join lateral (
    select ${FOUND} from message_keys k
    where k.application_id = w.application_id and k.service_user_id = w.service_user_id and k.time = w.time
    limit 1) found
  where w.service_user_id is not null`;
