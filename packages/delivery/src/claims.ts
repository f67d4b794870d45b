import {
  DEVICE_KIND_OF,
  isDeviceChannel,
  type Channel,
  type ChunkRef,
  type DeliveryReason,
} from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { CLAIM_ADDRESSES } from './claim-addresses.ts';
import { targetKey, type DeliveryTarget } from './delivery-target.ts';

const statement = statementsIn(import.meta.dirname);

/** What a claimed address is; both null of a user who has no device, `address` alone of a device that is not reached any more. */
export type ClaimedDevice = { readonly deviceId: string | null; readonly address: string | null };

/**
 * A delivery, or one address of it, in the hands of one worker, until its lease ends; the fence tells this claim from any
 * other.
 */
export type ClaimedDelivery = Fenced & {
  readonly customUserId: string;
  /** Null where a user may have several addresses: no message to a device names it. */
  readonly serviceUserId: string | null;
  /** Attempts made before this claim. */
  readonly attempts: number;
  /** How often it was due again because its outcome was unknown. */
  readonly ambiguousAttempts: number;
  /** Milliseconds since the delivery was made, or made due again. */
  readonly ageMs: number;
  readonly testAddress: string | null;
  /** Its user was deleted since it was made. */
  readonly isUserGone?: true;
  /** Where a user may have several addresses: which device it goes to, and where that is reached now. */
  readonly device?: ClaimedDevice;
  /** The profile fields of the recipient, from which a channel takes its address. */
  readonly profile: Readonly<Record<string, unknown>>;
  /** Of marketing what the recipient's profile says of the time zone, or else a device, whatever that is; other messages may have none. */
  readonly timeZone: string | null;
  /** Why nothing is sent to the recipient's address on this channel, whatever it says; null when nothing speaks against it. */
  readonly suppression: DeliveryReason | null;
  /** Version of the channel's settings at the claim; null when it is not configured (any more). */
  readonly settingsVersion: number | null;
};

const CLAIM = definePrepared(statement('claim-deliveries'));

export type Claim = {
  /** Of the chunks; absent where it is one on which a user has one address. */
  readonly channel?: Channel;
  readonly owner: string;
  readonly leaseMs: number;
  /** Of each chunk. */
  readonly rowsMax: number;
};

/**
 * Claims the due rows of chunks: pending, due for a retry, or claimed under a lease that ended. Nothing was sent of
 * any of them, so taking over is safe; a row in `sending` is never claimed again. Where a user has several addresses
 * these are what is claimed. Returns those of each chunk, in the
 * order given; of a chunk that is named twice, to the first. @callers channel-worker
 */
export async function claimChunks(
  db: Database,
  chunks: readonly ChunkRef[],
  { channel, owner, leaseMs, rowsMax }: Claim,
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

/** The same of one chunk. @callers channel-worker */
export async function claimChunk(
  db: Database,
  { campaignId, chunkNo, ...claim }: ChunkRef & Claim,
): Promise<ClaimedDelivery[]> {
  const [claimed = []] = await claimChunks(db, [{ campaignId, chunkNo }], claim);
  return claimed;
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
  /** These are absent where a user may have several addresses. */
  readonly is_user_gone?: boolean;
  readonly service_user_id?: string | null;
  readonly profile?: Record<string, unknown> | null;
  readonly suppression?: DeliveryReason | null;
  readonly settings_version: number | null;
  /** There alone, as are the next two; null of a delivery that goes to one. */
  readonly address_no?: number | null;
  readonly device_id?: string | null;
  readonly address?: string | null;
};

export type Fenced = DeliveryTarget & { readonly fence: number };

/** The two tables of what is claimed. */
type TableName = 'deliveries' | 'addresses';

/** Of one table: its chunks come after it. */
const MARK_SENDING: Readonly<Record<TableName, string>> = {
  deliveries: definePrepared(statement('mark-deliveries-sending')),
  addresses: definePrepared(statement('mark-addresses-sending')),
};
/** Of both: first the one and the other, then the chunks of both, as everywhere. */
const MARK_BOTH_SENDING: Readonly<Record<TableName, string>> = {
  deliveries: definePrepared(statement('mark-deliveries-before-addresses')),
  addresses: definePrepared(statement('mark-addresses-after-deliveries')),
};
const RECORD_LEASES = definePrepared(statement('record-leases'));

/**
 * Arms claimed rows immediately before they are sent; only those whose keys are returned may be sent. One compare-and-set is the
 * fence against a worker whose lease was taken over, the check of pause and cancel, and the check of expiry. Their chunk
 * is noted as one with leases (`expireSendingLeases`).
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
 * The same of several groups together, all or none; a claim that is in two of them is armed for the first.
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

/** The fences of those that are armed, by their keys. */
async function markTables(sql: Sql, tables: Tables, leaseMs: number): Promise<Map<string, number>> {
  return fencesOf(await runMarking(sql, tables, { leaseMs, statements: MARK_SENDING }));
}

/** The same, in a transaction, which it has to be: the chunks are noted at its end. */
async function markBoth(sql: Sql, tables: Tables, leaseMs: number): Promise<Map<string, number>> {
  const marked = await runMarking(sql, tables, { leaseMs, statements: MARK_BOTH_SENDING });
  await sql.query(RECORD_LEASES, [
    marked.map((row) => row.campaign_id),
    marked.map((row) => row.chunk_no),
    marked.map((row) => row.lease_until),
  ]);
  return fencesOf(marked);
}

async function runMarking(
  sql: Sql,
  tables: Tables,
  {
    leaseMs,
    statements,
  }: { readonly leaseMs: number; readonly statements: Readonly<Record<TableName, string>> },
): Promise<readonly MarkedRow[]> {
  const armed: MarkedRow[] = [];
  for (const [table, claims] of tables) {
    // In one order, for they may wait for locks.
    const ordered = claims.toSorted((a, b) =>
      a.deliveryId === b.deliveryId
        ? (a.addressNo ?? 0) - (b.addressNo ?? 0)
        : a.deliveryId < b.deliveryId
          ? -1
          : 1,
    );
    const { rows } = await sql.query<MarkedRow>(statements[table], [
      ...keysOf(ordered),
      leaseMs,
      ...numbersOf(table, ordered),
    ]);
    armed.push(...rows);
  }
  return armed;
}

function fencesOf(armed: readonly MarkedRow[]): Map<string, number> {
  return new Map(
    armed.map(({ id, address_no: no, fence }) => [
      targetKey({ deliveryId: id, ...(no !== undefined && { addressNo: no }) }),
      fence,
    ]),
  );
}

type MarkedRow = {
  readonly id: string;
  readonly address_no?: number;
  readonly fence: number;
  /** These where both are armed. */
  readonly campaign_id?: string;
  readonly chunk_no?: number;
  readonly lease_until?: string;
};

/** Whole deliveries, and single addresses of others, as far as there are any; deliveries come first, as wherever both are locked. */
function byTable(claims: readonly Fenced[]): (readonly [TableName, readonly Fenced[]])[] {
  const [deliveries, addresses] = [
    claims.filter(({ addressNo }) => addressNo === undefined),
    claims.filter(({ addressNo }) => addressNo !== undefined),
  ];
  return (
    [
      ['deliveries', deliveries],
      ['addresses', addresses],
    ] as const
  ).filter(([, own]) => own.length > 0);
}

const keysOf = (claims: readonly Fenced[]): unknown[] => [
  claims.map(({ deliveryId }) => deliveryId),
  claims.map(({ fence }) => fence),
];
const numbersOf = (table: TableName, claims: readonly Fenced[]): unknown[] =>
  table === 'addresses' ? [claims.map(({ addressNo }) => addressNo)] : [];

const RELEASE: Readonly<Record<TableName, string>> = {
  deliveries: statement('release-deliveries'),
  addresses: statement('release-addresses'),
};

/** Gives claimed rows back, unsent, due after `delayMs`: the same for all, or each its own. @callers channel-worker */
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
      ...numbersOf(table, claims),
    ]);
  }
}
