import type { Channel } from '@tidings/contracts/channels/channels';
import { DEVICE_KIND_OF, isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { CLAIM_ADDRESSES } from './claim-addresses.ts';
import { targetKey, type DeliveryTarget } from './change-states.ts';
import { columnsOf, type DeliveryData } from './delivery-data.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * The device of a claimed target. Both fields are null if the user has no device; `address` alone
 * is null if the device can no longer be reached.
 */
export type ClaimedDevice = { readonly deviceId: string | null; readonly address: string | null };

/**
 * A delivery, or one address of it, claimed by one worker until its lease ends. The fence
 * identifies the claim.
 */
export type ClaimedDelivery = Fenced & {
  readonly customUserId: string;
  /** Null on device channels, whose messages do not contain it. */
  readonly serviceUserId: string | null;
  /** Attempts made before this claim. */
  readonly attempts: number;
  /** Attempts with an unknown outcome that were retried. */
  readonly ambiguousAttempts: number;
  /** Milliseconds since the delivery was created or restarted. */
  readonly ageMs: number;
  readonly testAddress: string | null;
  /** The user was deleted after the delivery was created. */
  readonly isUserGone?: true;
  /** On device channels: the target device and its current address. */
  readonly device?: ClaimedDevice;
  /** The recipient's profile fields that contain the address. */
  readonly profile: Readonly<Record<string, unknown>>;
  /**
   * For marketing: the time zone in the recipient's profile, or of a device, unvalidated. May be
   * null for other purposes.
   */
  readonly timeZone: string | null;
  /** Reason to suppress the recipient's address on this channel; null if there is none. */
  readonly suppression: DeliveryReason | null;
  /** Version of the channel's settings at the claim; null if the channel is not configured. */
  readonly settingsVersion: number | null;
};

const CLAIM = definePrepared(statement('claim-deliveries'));
const READ_DUE = definePrepared(statement('read-due-deliveries'));
const CLAIM_READ = definePrepared(statement('claim-read-deliveries'));

const OWNER_CHARS = 6;

/**
 * The owner that a process writes into the rows it claims: the random end of a UUID. No statement
 * reads it. It is short because pages of `deliveries` have room for a second version of each row
 * only if that is not much longer than the first. Otherwise the update writes to every index.
 */
export function claimOwner(uuid: string): string {
  return uuid.slice(-OWNER_CHARS);
}

export type ClaimOptions = {
  /** Channel of the chunks; required on device channels. */
  readonly channel?: Channel;
  readonly owner: string;
  readonly leaseMs: number;
  /** Per chunk. */
  readonly rowsMax: number;
};

/**
 * Claims due rows of chunks: pending, due for a retry, or claimed under an expired lease. None of
 * them was sent, so a takeover is safe; `sending` rows are never claimed. On device channels
 * addresses are claimed. Results are per chunk, in the given order; for a chunk named twice, the
 * first gets the rows. @callers channel-worker
 */
export async function claimChunks(
  db: Database,
  chunks: readonly ChunkRef[],
  { channel, owner, leaseMs, rowsMax }: ClaimOptions,
): Promise<ClaimedDelivery[][]> {
  const claimed = new Map<string, ClaimedDelivery[]>(chunks.map((chunk) => [chunkName(chunk), []]));
  const distinct = [...new Map(chunks.map((chunk) => [chunkName(chunk), chunk])).values()];
  const values = [
    distinct.map(({ campaignId }) => campaignId),
    distinct.map(({ chunkNo }) => chunkNo),
    owner,
    leaseMs,
    rowsMax,
  ];
  const { rows } =
    channel !== undefined && isDeviceChannel(channel)
      ? await db.sql.query<ClaimRow>(CLAIM_ADDRESSES, [...values, DEVICE_KIND_OF[channel]])
      : await db.sql.query<ClaimRow>(CLAIM, values);
  for (const row of rows)
    claimed
      .get(chunkName({ campaignId: row.campaign_id, chunkNo: row.chunk_no }))
      ?.push(toClaimed(row));
  return chunks.map((chunk) => {
    const own = claimed.get(chunkName(chunk)) ?? [];
    claimed.delete(chunkName(chunk));
    return own;
  });
}

/** `claimChunks` for one chunk. @callers channel-worker */
export async function claimChunk(
  db: Database,
  { campaignId, chunkNo, ...claim }: ChunkRef & ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const [claimed = []] = await claimChunks(db, [{ campaignId, chunkNo }], claim);
  return claimed;
}

/**
 * Reads due rows of a chunk without writing anything: as a claim, on channels with one address. Each
 * row has the fence that the next claim or marking gives it, so it may be marked sending directly.
 * Of several readers of a row, the first to mark or claim it gets it. A row that is not sent must
 * be claimed before it is settled or released (`claimRead`). @callers channel-worker
 */
export async function readDueRows(
  { sql }: Pick<Database, 'sql'>,
  { campaignId, chunkNo, rowsMax, leaseMs }: ChunkRef & Pick<ClaimOptions, 'rowsMax' | 'leaseMs'>,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql.query<ClaimRow>(READ_DUE, [[campaignId], [chunkNo], rowsMax, leaseMs]);
  return rows.map(toClaimed);
}

/**
 * Claims rows that were read. Returns the claims: none of rows that were marked, claimed or
 * changed since, or read too long ago. @callers channel-worker
 */
export async function claimRead(
  { sql }: Pick<Database, 'sql'>,
  deliveries: readonly Fenced[],
  { owner, leaseMs }: Pick<ClaimOptions, 'owner' | 'leaseMs'>,
): Promise<Fenced[]> {
  if (deliveries.length === 0) return [];
  const ordered = inOrder(deliveries);
  const { rows } = await sql.query<{ id: string }>(CLAIM_READ, [
    ...keysOf(ordered),
    ...othersOf('read', ordered),
    owner,
    leaseMs,
  ]);
  const claimed = new Set(rows.map(({ id }) => id));
  return deliveries.flatMap(({ deliveryId, fence }) =>
    claimed.has(deliveryId) ? [{ deliveryId, fence }] : [],
  );
}

const chunkName = ({ campaignId, chunkNo }: ChunkRef): string => `${campaignId} ${chunkNo}`;

function toClaimed(row: ClaimRow): ClaimedDelivery {
  return {
    deliveryId: row.id,
    fence: row.fence,
    customUserId: row.custom_user_id,
    serviceUserId: row.service_user_id ?? null,
    attempts: row.attempts,
    ambiguousAttempts: row.doubts,
    ageMs: row.age_ms,
    testAddress: row.test_address,
    profile: row.profile ?? {},
    timeZone: row.time_zone,
    suppression: row.suppression ?? null,
    settingsVersion: row.settings_version,
    ...(row.read_until !== undefined && { readUntil: row.read_until }),
    ...(row.is_user_gone === true && { isUserGone: true }),
    ...(row.address_no != null && { addressNo: row.address_no }),
    ...(row.device_id !== undefined && {
      device: { deviceId: row.device_id, address: row.address ?? null },
    }),
  };
}

type ClaimRow = {
  readonly id: string;
  readonly campaign_id: string;
  readonly chunk_no: number;
  readonly fence: number;
  readonly custom_user_id: string;
  readonly attempts: number;
  readonly doubts: number;
  readonly time_zone: string | null;
  readonly age_ms: number;
  readonly test_address: string | null;
  /** Absent on device channels. */
  readonly is_user_gone?: boolean;
  readonly service_user_id?: string | null;
  readonly profile?: Record<string, unknown> | null;
  readonly suppression?: DeliveryReason | null;
  readonly settings_version: number | null;
  /** Present if the row was read and not claimed. */
  readonly read_until?: number;
  /** Device channels only, as are the next two; null for a delivery to one address. */
  readonly address_no?: number | null;
  readonly device_id?: string | null;
  readonly address?: string | null;
};

export type Fenced = DeliveryTarget & {
  readonly fence: number;
  /**
   * Present if the row was read and not claimed: until when it may be marked or claimed, in seconds
   * of Postgres' clock.
   */
  readonly readUntil?: number;
  /** What was filled into its message, to be recorded when it is marked. */
  readonly data?: DeliveryData;
};

/** The two tables of claimed rows, and deliveries that were read instead. */
type Source = 'deliveries' | 'read' | 'addresses';

/** Rows of one table; the chunks are locked after them. */
const MARK_SENDING: Readonly<Record<Source, string>> = {
  deliveries: definePrepared(statement('mark-deliveries-sending')),
  addresses: definePrepared(statement('mark-addresses-sending')),
  read: definePrepared(statement('mark-read-deliveries-sending')),
};
/** Rows of both tables: deliveries, then addresses, then the chunks of both. */
const MARK_BOTH_SENDING: Readonly<Record<Source, string>> = {
  deliveries: definePrepared(statement('mark-deliveries-before-addresses')),
  // It records its leases itself.
  read: MARK_SENDING.read,
  addresses: definePrepared(statement('mark-addresses-after-deliveries')),
};
const RECORD_LEASES = definePrepared(statement('record-leases'));

/**
 * Marks rows `sending` immediately before the send; only rows whose keys are returned may be sent.
 * The compare-and-set checks the fence (another worker may have the row), pause, cancel and expiry.
 * It also records the lease at the chunk (`expireSendingLeases`), and what was filled in. Of two devices
 * of a delivery with other words only the first is marked.
 * @callers channel-worker
 */
export async function markSending(
  { sql }: Pick<Database, 'sql'>,
  deliveries: readonly Fenced[],
  leaseMs: number,
): Promise<Set<string>> {
  return new Set((await markTables(sql, byTable(deliveries), leaseMs)).keys());
}

/**
 * `markSending` for several groups, all or none. A claim in two groups is marked for the first.
 * @callers channel-worker
 */
export async function markGroupsSending(
  db: Pick<Database, 'sql' | 'transaction'>,
  groups: readonly (readonly Fenced[])[],
  leaseMs: number,
): Promise<Set<string>[]> {
  const tables = byTable(groups.flat());
  const fences = await (tables.length > 1
    ? retryConflicts(() => db.transaction((sql) => markBoth(sql, tables, leaseMs)))
    : markTables(db.sql, tables, leaseMs));
  const take = (claim: Fenced): boolean =>
    fences.get(targetKey(claim)) === claim.fence && fences.delete(targetKey(claim));
  return groups.map((group) => new Set(group.filter(take).map(targetKey)));
}

type Tables = ReturnType<typeof byTable>;

/** Returns the fences of the marked rows, by key. */
async function markTables(sql: Sql, tables: Tables, leaseMs: number): Promise<Map<string, number>> {
  return fencesOf(await runMarking(sql, tables, { leaseMs, statements: MARK_SENDING }));
}

/** `markTables` for both tables; needs a transaction, because the chunks are updated at its end. */
async function markBoth(sql: Sql, tables: Tables, leaseMs: number): Promise<Map<string, number>> {
  const marked = await runMarking(sql, tables, { leaseMs, statements: MARK_BOTH_SENDING });
  const leased = marked.filter((row) => row.campaign_id !== undefined);
  await sql.query(RECORD_LEASES, [
    leased.map((row) => row.campaign_id),
    leased.map((row) => row.chunk_no),
    leased.map((row) => row.lease_until),
  ]);
  return fencesOf(marked);
}

async function runMarking(
  sql: Sql,
  tables: Tables,
  {
    leaseMs,
    statements,
  }: { readonly leaseMs: number; readonly statements: Readonly<Record<Source, string>> },
): Promise<readonly MarkedRow[]> {
  const marked: MarkedRow[] = [];
  for (const [table, claims] of tables) {
    const ordered = inOrder(claims);
    const { rows } = await sql.query<MarkedRow>(statements[table], [
      ...keysOf(ordered),
      leaseMs,
      ...columnsOf(ordered),
      ...othersOf(table, ordered),
    ]);
    marked.push(...rows);
  }
  return marked;
}

/** Sorted, because the rows may be locked. */
function inOrder<D extends DeliveryTarget>(targets: readonly D[]): D[] {
  return targets.toSorted((a, b) =>
    a.deliveryId === b.deliveryId
      ? (a.addressNo ?? 0) - (b.addressNo ?? 0)
      : a.deliveryId < b.deliveryId
        ? -1
        : 1,
  );
}

function fencesOf(marked: readonly MarkedRow[]): Map<string, number> {
  return new Map(
    marked.map(({ id, address_no: no, fence }) => [
      targetKey({ deliveryId: id, ...(no !== undefined && { addressNo: no }) }),
      fence,
    ]),
  );
}

type MarkedRow = {
  readonly id: string;
  readonly address_no?: number;
  readonly fence: number;
  /** Present if both tables are marked. */
  readonly campaign_id?: string;
  readonly chunk_no?: number;
  readonly lease_until?: string;
};

/**
 * Groups claims by table, deliveries first, as wherever both are locked. Empty tables are left out.
 */
function byTable(claims: readonly Fenced[]): (readonly [Source, readonly Fenced[]])[] {
  const sourceOf = ({ addressNo, readUntil }: Fenced): Source =>
    addressNo !== undefined ? 'addresses' : readUntil === undefined ? 'deliveries' : 'read';
  const groups = Map.groupBy(claims, sourceOf);
  return (['deliveries', 'read', 'addresses'] as const).flatMap((source) => {
    const own = groups.get(source);
    return own === undefined ? [] : [[source, own] as const];
  });
}

const keysOf = (claims: readonly Fenced[]): unknown[] => [
  claims.map(({ deliveryId }) => deliveryId),
  claims.map(({ fence }) => fence),
];
/** What a statement of this source needs besides. */
const othersOf = (source: Source, claims: readonly Fenced[]): unknown[] =>
  ({
    deliveries: [],
    read: [claims.map(({ readUntil }) => readUntil)],
    addresses: [claims.map(({ addressNo }) => addressNo)],
  })[source];

const RELEASE_DELIVERIES = statement('release-deliveries');
const RELEASE: Readonly<Record<Source, string>> = {
  deliveries: RELEASE_DELIVERIES,
  // Changes nothing: what was read is not claimed.
  read: RELEASE_DELIVERIES,
  addresses: statement('release-addresses'),
};

/**
 * Releases claimed rows unsent, due after `delayMs`: one delay for all, or one per row.
 * @callers channel-worker
 */
export async function releaseClaims(
  db: Database,
  deliveries: readonly Fenced[],
  delayMs: number | readonly number[],
): Promise<void> {
  const delays = new Map(
    deliveries.map((claim, index) => [
      claim,
      typeof delayMs === 'number' ? delayMs : delayMs[index],
    ]),
  );
  for (const [table, claims] of byTable(deliveries)) {
    await db.sql.query(RELEASE[table], [
      ...keysOf(claims),
      claims.map((claim) => delays.get(claim)),
      ...(table === 'addresses' ? othersOf(table, claims) : []),
    ]);
  }
}
