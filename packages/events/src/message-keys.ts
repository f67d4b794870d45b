import type { ReceiptReason } from '@tidings/contracts/ingest/ingest';
import {
  messageIndexOf,
  messageOf,
  type MessageRef,
} from '@tidings/contracts/ingest/ingest-record';
import { readIngestSettings, type IngestSettings } from '@tidings/people/application-settings';
import { firstServiceUserIds } from '@tidings/people/first-service-user-ids';
import { pgArrayLiteral } from '@tidings/postgres/pg-array-literal';
import type { Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import {
  decideDuplicates,
  duplicateKey,
  messageIdText,
  userTimeText,
  type TakenKeys,
  type WantedKeys,
} from './decide-duplicates.ts';

const statement = statementsIn(import.meta.dirname);

const INSERT_KEYS = definePreparedByKeys(statement('insert-keys'));

/** A message that claims its id and, where the second rule applies, its user and time. */
export type KeyClaim = MessageRef & { readonly serviceUserId: string | null };

/** A key of the step that a message holds; `position` counts the keys from 1. */
type HeldKey = {
  readonly position: number;
  readonly rule: 'id' | 'user_time';
  readonly request_id: string;
  readonly message_index: number;
};

const ROUNDS_MAX = 20;
const NONE: TakenKeys & { readonly own: ReadonlySet<string> } = {
  byId: new Set(),
  byUserTime: new Set(),
  own: new Set(),
};

/**
 * Claims message keys by both duplicate rules. Rule 1: the first message with an id wins it,
 * separately per type of key, because Client keys are public. Rule 2: the first event with a
 * serviceUserId and time wins those.
 *
 * Two unique keys decide, in the given order. A message that loses one key takes neither. Returns
 * null for each claim, or why it is a duplicate.
 *
 * The keys are hashes, in duplicate_keys. Keys that an earlier version stored in message_keys are
 * looked up there, until their retention is over.
 * @callers users-consumer, events-consumer
 */
export async function claimMessageKeys(
  sql: Sql,
  claims: readonly KeyClaim[],
): Promise<(ReceiptReason | null)[]> {
  const keys = claims.map(toKey);
  // Most steps have no duplicates: then the insert alone decides, and nothing is read. A step
  // that repeats a key needs the reasons.
  const unread = decideDuplicates(keys, NONE);
  const isAnyRepeated = unread.some((reason) => reason !== null);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const isRead = round > 0 || isAnyRepeated;
    const { own, ...standing } = isRead ? await readKeys(sql, keys) : NONE;
    const decisions = isRead ? decideDuplicates(keys, standing) : unread;
    // A message that lost one key to another transaction frees its other key. An earlier message
    // may then win that key from a later one that already holds it.
    await deleteKeys(
      sql,
      keys.filter((key, index) => decisions[index] !== null && own.has(key.ref)),
    );
    const winners = keys.filter((key, index) => decisions[index] === null && !own.has(key.ref));
    if ((await insertKeys(sql, winners)) === winners.length) return decisions;
  }
  throw new Error('message keys kept changing while they were claimed');
}

type Key = WantedKeys & {
  readonly ref: string;
  readonly claim: KeyClaim;
  readonly idText: string;
  readonly time: string;
};

function toKey(claim: KeyClaim): Key {
  const { applicationId, requestId, keyType } = claim.record;
  const { id, time } = messageOf(claim);
  const exactTime = BigInt(time).toString();
  const idText = messageIdText(applicationId, keyType, id);
  return {
    ref: `${requestId}:${messageIndexOf(claim)}`,
    claim,
    idText,
    byId: duplicateKey(idText),
    byUserTime:
      claim.serviceUserId === null
        ? null
        : duplicateKey(userTimeText(applicationId, claim.serviceUserId, exactTime)),
    time: exactTime,
  };
}

/**
 * The keys of other messages; `own`: those of these messages that already hold their keys from an
 * earlier round. Each key is looked up in an index: a join makes Postgres scan the whole table
 * while it is of medium size.
 */
async function readKeys(
  sql: Sql,
  keys: readonly Key[],
): Promise<TakenKeys & { readonly own: ReadonlySet<string> }> {
  const refs = new Set(keys.map((key) => key.ref));
  const { rows } = await sql.query<HeldKey>(statement('read-keys'), columns(keys).slice(0, 7));
  const standing = {
    byId: new Set<string>(),
    byUserTime: new Set<string>(),
    own: new Set<string>(),
  };
  for (const { position, rule, request_id: requestId, message_index: index } of rows) {
    const key = keys[position - 1];
    if (key === undefined) throw new Error('a held key without a claim');
    const ref = `${requestId}:${index}`;
    if (refs.has(ref)) standing.own.add(ref);
    else if (rule === 'id') standing.byId.add(key.byId);
    else if (key.byUserTime !== null) standing.byUserTime.add(key.byUserTime);
  }
  return standing;
}

/**
 * No conflict target: a row that loses either key is skipped. Sorted, so that steps cannot
 * deadlock: by the ids, in the order of the version before.
 */
async function insertKeys(sql: Sql, keys: readonly Key[]): Promise<number> {
  if (keys.length === 0) return 0;
  const ordered = [...keys].sort((a, b) => (a.idText < b.idText ? -1 : 1));
  const { rowCount } = await sql.query(INSERT_KEYS, columns(ordered));
  return rowCount ?? 0;
}

async function deleteKeys(sql: Sql, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return;
  await sql.query(statement('delete-keys'), [
    keys.map(({ byId }) => byId),
    keys.map(({ claim }) => claim.record.requestId),
    keys.map(({ claim }) => messageIndexOf(claim)),
  ]);
}

function columns(keys: readonly Key[]): unknown[] {
  return [
    pgArrayLiteral(keys.map(({ byId }) => byId)),
    pgArrayLiteral(keys.map(({ byUserTime }) => byUserTime)),
    pgArrayLiteral(keys.map(({ claim }) => claim.record.applicationId)),
    keys.map(({ claim }) => messageOf(claim).id),
    pgArrayLiteral(keys.map(({ claim }) => claim.record.keyType)),
    pgArrayLiteral(keys.map(({ claim }) => claim.serviceUserId)),
    pgArrayLiteral(keys.map(({ time }) => time)),
    pgArrayLiteral(keys.map(({ claim }) => claim.record.requestId)),
    pgArrayLiteral(keys.map(({ claim }) => messageIndexOf(claim))),
    pgArrayLiteral(keys.map(({ claim }) => claim.record.receivedAt)),
  ];
}

/**
 * Adds to each event the serviceUserId for the second duplicate rule: the one in the request, never
 * a resolved one. `dedupeResolvedUsers` extends the rule to users with only a customUserId.
 *
 * The extension covers proved events only: an unproved event from a page must not take a time that
 * the back end's own event may have.
 * @callers events-consumer
 */
export async function userTimeClaims<
  T extends MessageRef & { readonly userId: string | null; readonly isProved: boolean },
>(sql: Sql, events: readonly T[]): Promise<(T & KeyClaim)[]> {
  const resolved = events.filter(
    ({ record, userId, isProved }) => record.serviceUserId === null && userId !== null && isProved,
  );
  const settingsOf =
    resolved.length === 0
      ? (): IngestSettings => ({})
      : await readIngestSettings(
          sql,
          resolved.map(({ record }) => record.applicationId),
        );
  const extended = resolved.filter(
    ({ record }) => settingsOf(record.applicationId).dedupeResolvedUsers,
  );
  const first = await firstServiceUserIds(
    sql,
    extended.flatMap(({ userId }) => userId ?? []),
  );
  const claimed = new Set<T>(extended);
  return events.map((event) => ({
    ...event,
    serviceUserId: claimed.has(event)
      ? (first.get(event.userId ?? '') ?? null)
      : event.record.serviceUserId,
  }));
}
