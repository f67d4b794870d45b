import {
  DEVICE_KIND_OF,
  isDeviceChannel,
  type Channel,
  type ChunkPointer,
  type DeliveryReason,
} from '@tidings/contracts';
import { CONTACTS_OF } from '@tidings/people/contacts';
import { suppressionOf } from '@tidings/people/suppressions';
import type { Database, Sql } from '@tidings/postgres/database';
import { prepared } from '@tidings/postgres/prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { writtenNow } from '@tidings/postgres/written-ahead';
import { CHANNEL_PAUSED } from './channel-paused.ts';
import { CLAIM_ADDRESSES } from './claim-addresses.ts';
import { IS_DUE } from './is-due.ts';
import { unitKey, type SendUnit } from './send-unit.ts';
import { LAST_DEVICE_TIME_ZONE, timeZoneOf } from './time-zone-of.ts';

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
  readonly doubts: number;
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

const CLAIM = prepared(
  `with due as (
     select row.* from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no) cross join lateral (
       select d.id, d.user_id, d.application_id, d.channel, c.purpose, c.retried_at from deliveries d join campaigns c on c.id = d.campaign_id
       where d.campaign_id = x.campaign_id and d.chunk_no = x.chunk_no and c.status = 'sending' and not ${CHANNEL_PAUSED}
         and (d.user_id is not null or d.test_address is not null)
         and ${IS_DUE}
       order by d.id limit $5 for update of d skip locked) row)
   update deliveries d set state = 'claimed', fence = d.fence + 1, owner = $3, lease_until = now() + $4::float8 * interval '1 ms', updated_at = now()
   from due
   left join users u on u.id = due.user_id
   left join channel_settings s on s.application_id = due.application_id and s.channel = due.channel
   where d.id = due.id
   returning d.id, d.campaign_id, d.chunk_no, d.fence, d.custom_user_id, d.attempts, d.doubts, d.test_address, due.user_id is not null and u.id is null as is_user_gone, ${timeZoneOf(`case due.purpose when 'marketing' then ${LAST_DEVICE_TIME_ZONE} end`)} as time_zone, ${CONTACTS_OF} as profile, s.version as settings_version,
     ${suppressionOf({ channel: 'd.channel', testAddress: 'd.test_address', applicationId: 'd.application_id', purpose: 'due.purpose' })} as suppression,
     (extract(epoch from now() - greatest(d.created_at, due.retried_at)) * 1000)::float8 as age_ms,
     (select i.service_user_id from user_identities i where i.user_id = due.user_id order by i.created_at limit 1) as service_user_id`,
);

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
  chunks: readonly ChunkPointer[],
  { channel, owner, leaseMs, rowsMax }: Claim,
): Promise<ClaimedDelivery[][]> {
  const claimed = new Map<string, ClaimedDelivery[]>(chunks.map((chunk) => [nameOf(chunk), []]));
  const distinct = [...new Map(chunks.map((chunk) => [nameOf(chunk), chunk])).values()];
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
      .get(nameOf({ campaignId: row.campaign_id, chunkNo: row.chunk_no }))
      ?.push(toClaimed(row));
  return chunks.map((chunk) => {
    const own = claimed.get(nameOf(chunk)) ?? [];
    claimed.delete(nameOf(chunk));
    return own;
  });
}

/** The same of one chunk. @callers channel-worker */
export async function claimChunk(
  db: Database,
  { campaignId, chunkNo, ...claim }: ChunkPointer & Claim,
): Promise<ClaimedDelivery[]> {
  const [claimed = []] = await claimChunks(db, [{ campaignId, chunkNo }], claim);
  return claimed;
}

const nameOf = ({ campaignId, chunkNo }: ChunkPointer): string => `${campaignId} ${chunkNo}`;

function toClaimed(row: ClaimRow): ClaimedDelivery {
  return {
    deliveryId: row.id,
    fence: row.fence,
    customUserId: row.custom_user_id,
    serviceUserId: row.service_user_id ?? null,
    attempts: row.attempts,
    doubts: row.doubts,
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

export type Fenced = SendUnit & { readonly fence: number };

/** The two tables of what is claimed: how claims `x` name its rows `d`, and what the claims of addresses have besides. */
const TABLES = {
  deliveries: {
    table: 'deliveries',
    isClaim: 'd.id = x.id',
    key: 'd.id',
    returned: 'id, fence',
    numbers: '',
    no: '',
  },
  addresses: {
    table: 'delivery_addresses',
    isClaim: 'd.delivery_id = x.id and d.address_no = x.no',
    key: 'd.delivery_id as id, d.address_no',
    returned: 'id, address_no, fence',
    numbers: ', $4::smallint[]',
    no: ', no',
  },
} as const;
type TableName = keyof typeof TABLES;
type Table = (typeof TABLES)[TableName];

const armed = ({ table, isClaim, key, numbers, no }: Table): string =>
  `update ${table} d set state = 'sending', attempts = d.attempts + 1, lease_until = clock_timestamp() + $3::float8 * interval '1 ms', updated_at = now()
     from unnest($1::uuid[], $2::int[]${numbers}) as x(id, fence${no})
     where ${isClaim} and d.fence = x.fence and d.state = 'claimed' and d.lease_until > now()
       and (select c.status = 'sending' and now() < c.expires_at from campaigns c where c.id = d.campaign_id)
     returning ${key}, d.fence, d.campaign_id, d.chunk_no, d.lease_until`;
const LEASED = `update campaign_chunks k set leased_until = a.lease_until, written_at = ${writtenNow('k')}
     from (select campaign_id, chunk_no, min(lease_until) as lease_until from armed group by 1, 2 order by 1, 2) a
     where k.campaign_id = a.campaign_id and k.chunk_no = a.chunk_no
       and (k.leased_until is null or k.leased_until > a.lease_until or k.leased_until <= now())`;

/** Of one table: its chunks come after it. */
const armStatement = (table: Table): string =>
  prepared(
    `with armed as (${armed(table)}), leased as (${LEASED}) select ${table.returned} from armed`,
  );
const ARM: Readonly<Record<TableName, string>> = {
  deliveries: armStatement(TABLES.deliveries),
  addresses: armStatement(TABLES.addresses),
};
/** Of both: first the one and the other, then the chunks of both, as everywhere. */
const armStatementOfBoth = (table: Table): string =>
  prepared(
    `with armed as (${armed(table)}) select ${table.returned}, campaign_id, chunk_no, lease_until::text as lease_until from armed`,
  );
const ARM_BOTH: Readonly<Record<TableName, string>> = {
  deliveries: armStatementOfBoth(TABLES.deliveries),
  addresses: armStatementOfBoth(TABLES.addresses),
};
const NOTE_LEASES = prepared(
  `with armed as (select * from unnest($1::uuid[], $2::int[], $3::timestamptz[]) as a(campaign_id, chunk_no, lease_until)) ${LEASED}`,
);

/**
 * Arms claimed rows immediately before they are sent; only those whose keys are returned may be sent. One compare-and-set is the
 * fence against a worker whose lease was taken over, the check of pause and cancel, and the check of expiry. Their chunk
 * is noted as one with leases (`expireSendingLeases`).
 * @callers channel-worker
 */
export async function armDeliveries(
  { sql }: Pick<Database, 'sql'>,
  deliveries: readonly Fenced[],
  leaseMs: number,
): Promise<Set<string>> {
  return new Set((await armTables(sql, byTable(deliveries), leaseMs)).keys());
}

/**
 * The same of several groups together, all or none; a claim that is in two of them is armed for the first.
 * @callers channel-worker
 */
export async function armGroups(
  db: Pick<Database, 'sql' | 'transaction'>,
  groups: readonly (readonly Fenced[])[],
  leaseMs: number,
): Promise<Set<string>[]> {
  const tables = byTable(groups.flat());
  const fences = await (tables.length > 1
    ? retryConflicts(() => db.transaction((sql) => armBoth(sql, tables, leaseMs)))
    : armTables(db.sql, tables, leaseMs));
  const take = (claim: Fenced): boolean =>
    fences.get(unitKey(claim)) === claim.fence && fences.delete(unitKey(claim));
  return groups.map((group) => new Set(group.filter(take).map(unitKey)));
}

type Tables = ReturnType<typeof byTable>;

/** The fences of those that are armed, by their keys. */
async function armTables(sql: Sql, tables: Tables, leaseMs: number): Promise<Map<string, number>> {
  return fencesOf(await runArming(sql, tables, { leaseMs, statements: ARM }));
}

/** The same, in a transaction, which it has to be: the chunks are noted at its end. */
async function armBoth(sql: Sql, tables: Tables, leaseMs: number): Promise<Map<string, number>> {
  const armed = await runArming(sql, tables, { leaseMs, statements: ARM_BOTH });
  await sql.query(NOTE_LEASES, [
    armed.map((row) => row.campaign_id),
    armed.map((row) => row.chunk_no),
    armed.map((row) => row.lease_until),
  ]);
  return fencesOf(armed);
}

async function runArming(
  sql: Sql,
  tables: Tables,
  {
    leaseMs,
    statements,
  }: { readonly leaseMs: number; readonly statements: Readonly<Record<TableName, string>> },
): Promise<readonly ArmedRow[]> {
  const armed: ArmedRow[] = [];
  for (const [table, claims] of tables) {
    // In one order, for they may wait for locks.
    const ordered = claims.toSorted((a, b) =>
      a.deliveryId === b.deliveryId
        ? (a.addressNo ?? 0) - (b.addressNo ?? 0)
        : a.deliveryId < b.deliveryId
          ? -1
          : 1,
    );
    const { rows } = await sql.query<ArmedRow>(statements[table], [
      ...keysOf(ordered),
      leaseMs,
      ...numbersOf(table, ordered),
    ]);
    armed.push(...rows);
  }
  return armed;
}

function fencesOf(armed: readonly ArmedRow[]): Map<string, number> {
  return new Map(
    armed.map(({ id, address_no: no, fence }) => [
      unitKey({ deliveryId: id, ...(no !== undefined && { addressNo: no }) }),
      fence,
    ]),
  );
}

type ArmedRow = {
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

const releaseStatement = ({ table, isClaim, numbers, no }: Table): string =>
  `update ${table} d set state = 'pending', owner = null, lease_until = null, updated_at = now(),
          next_at = now() + x.delay_ms * interval '1 ms'
   from unnest($1::uuid[], $2::int[], $3::float8[]${numbers}) as x(id, fence, delay_ms${no})
   where ${isClaim} and d.fence = x.fence and d.state = 'claimed'`;

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
    await db.sql.query(releaseStatement(TABLES[table]), [
      ...keysOf(claims),
      claims.map((claim) => delays.get(claim)),
      ...numbersOf(table, claims),
    ]);
  }
}
