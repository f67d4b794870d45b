import type { AccountChoice, AccountReason } from '@tidings/contracts/channels/accounts';
import { CONTACT_FIELDS } from '@tidings/contracts/channels/addresses';
import type { Channel } from '@tidings/contracts/channels/channels';
import { DEVICE_KIND_OF, isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import type { Database } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { CLAIM_ADDRESSES } from './claim-addresses.ts';
import { byTable, inOrder, keysOf, othersOf, type Fenced } from './fenced-rows.ts';

export type { Fenced } from './fenced-rows.ts';

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
  /** Null on channels whose messages do not contain it: all but hooks. */
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
  /** The recipient's profile fields that contain the address on the channel. */
  readonly profile: Readonly<Record<string, unknown>>;
  /**
   * For marketing: the time zone in the recipient's profile, or of a device, unvalidated. Null for
   * other purposes.
   */
  readonly timeZone: string | null;
  /** Reason to suppress the recipient's address on this channel; null if there is none. */
  readonly suppression: DeliveryReason | null;
  /** Version of the channel's settings at the claim; null if the channel is not configured. */
  readonly settingsVersion: number | null;
  /** How the attempt before was made; absent: there was none, or the channel had one account. */
  readonly sentBefore?: AccountChoice;
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
    profile: Object.fromEntries(
      CONTACT.filter((field) => row[field] != null).map((field) => [field, row[field]]),
    ),
    timeZone: row.time_zone,
    suppression: row.suppression ?? null,
    settingsVersion: row.settings_version,
    ...(row.account != null &&
      row.account_reason != null && {
        sentBefore: { account: row.account, reason: row.account_reason },
      }),
    ...(row.read_until !== undefined && { readUntil: row.read_until }),
    ...(row.is_user_gone === true && { isUserGone: true }),
    ...(row.address_no != null && { addressNo: row.address_no }),
    ...(row.device_id !== undefined && {
      device: { deviceId: row.device_id, address: row.address ?? null },
    }),
  };
}

/** Columns of the recipient's profile. */
const CONTACT = [...CONTACT_FIELDS, 'phoneE164'] as const;

type ClaimRow = Partial<Record<(typeof CONTACT)[number], unknown>> & {
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
  readonly suppression?: DeliveryReason | null;
  readonly settings_version: number | null;
  /** Absent on device channels, which have one account. */
  readonly account?: string | null;
  readonly account_reason?: AccountReason | null;
  /** Present if the row was read and not claimed. */
  readonly read_until?: number;
  /** Device channels only, as are the next two; null for a delivery to one address. */
  readonly address_no?: number | null;
  readonly device_id?: string | null;
  readonly address?: string | null;
};

/** Changes nothing of what was read: that is not claimed. */
const RELEASE_DELIVERIES = statement('release-deliveries');
const RELEASE_ADDRESSES = statement('release-addresses');

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
    await db.sql.query(table === 'addresses' ? RELEASE_ADDRESSES : RELEASE_DELIVERIES, [
      ...keysOf(claims),
      claims.map((claim) => delays.get(claim)),
      ...(table === 'addresses' ? othersOf(table, claims) : []),
    ]);
  }
}
