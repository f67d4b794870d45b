import { isDeviceChannel, type Channel, type ChunkPointer, type Lane } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { prepared } from '@tidings/postgres/prepared';
import { writtenNow } from '@tidings/postgres/written-ahead';
import { CHANNEL_PAUSED } from './channel-paused.ts';
import { HAS_ADDRESSES, NEXT_CLAIM, NEXT_CLAIM_OF_ADDRESSES } from './next-claim.ts';

/** A chunk that is to be announced to the workers of its channel and lane. */
export type DueChunk = ChunkPointer & {
  readonly applicationId: string;
  readonly channel: Channel;
  readonly lane: Lane;
};

/** A due chunk, and where its last pointer stands. */
export type AnnouncedChunk = DueChunk & {
  readonly announcedPartition: number | null;
  readonly announcedOffset: bigint | null;
};

/** Where a pointer stands in the topic of its channel and lane. */
export type PointerPosition = { readonly partition: number; readonly offset: bigint };

/** Due chunks that one call of a sweep finds at most. */
export const CHUNKS_PER_SWEEP = 500;

/** Whoever is about to announce a chunk gets this long; then the sweep looks whether it did. */
export const ANNOUNCEMENT_GRACE_SECONDS = 5;

/** SQL of whether the last pointer of the chunk `u` is the one read, or stood before it: that is nothing that waits any more. */
const isRead = (partition: string, offset: string): string =>
  `(u.announced_partition = ${partition}::int and u.announced_offset <= ${offset}::bigint)`;

/** Chunks of the express lane that it is time to look at; those of the bulk lane take turns (`dueBulkChunks`). */
export async function dueChunks(db: Database): Promise<AnnouncedChunk[]> {
  const { rows } = await db.sql.query<AnnouncedChunkRow>(
    `select k.campaign_id, k.chunk_no, c.application_id, c.channel, c.lane, k.announced_partition, k.announced_offset
     from campaign_chunks k join campaigns c on c.id = k.campaign_id
     where k.due_at <= now() and k.lane = 'express' order by k.due_at limit $1`,
    [CHUNKS_PER_SWEEP],
  );
  return rows.map(toAnnouncedChunk);
}

/** Leaves due chunks alone for a while. @callers campaigns */
export async function postponeChunks(
  db: Database,
  chunks: readonly ChunkPointer[],
  delayMs: number,
): Promise<void> {
  if (chunks.length === 0) return;
  await db.sql.query(
    `with left_alone as (
       select k.campaign_id, k.chunk_no from campaign_chunks k join unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
         on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
       where k.due_at <= now() order by 1, 2 for update of k)
     update campaign_chunks k set due_at = now() + $3::float8 * interval '1 ms', written_at = ${writtenNow('k')}
     from left_alone l where k.campaign_id = l.campaign_id and k.chunk_no = l.chunk_no`,
    [...columns(chunks), delayMs],
  );
}

/**
 * Looks at the rows of due chunks and sets when each is due next: never, when all of it is settled; when its next row
 * can be claimed, or the lease of a send ends, whose outcome may be another try; after `idleMs`, when its campaign or channel is paused. Returns the chunks with rows that can be
 * claimed now: the caller announces them, and if it does not, they are due again soon. @callers campaigns
 */
export async function takeChunks(
  db: Database,
  chunks: readonly ChunkPointer[],
  idleMs: number,
): Promise<DueChunk[]> {
  if (chunks.length === 0) return [];
  return db.transaction(async (sql) => {
    const { rows: locked } = await sql.query<{ campaign_id: string; chunk_no: number }>(
      `select k.campaign_id, k.chunk_no from campaign_chunks k join unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
         on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
       where k.due_at <= now() for update of k skip locked`,
      columns(chunks),
    );
    // A statement of its own, because it must see every row that was scheduled before the locks were taken.
    const { rows } = await sql.query<DueChunkRow>(
      `with looked as (
         select k.campaign_id, k.chunk_no, c.application_id, c.channel, c.lane, case when ${HAS_ADDRESSES('c.channel')} then ${NEXT_CLAIM_OF_ADDRESSES} else ${NEXT_CLAIM} end as next_claim,
                c.status = 'sending' and c.expires_at > now() and not ${CHANNEL_PAUSED} as is_sending,
                c.status in ('queued', 'sending', 'paused') as is_at_work
         from campaign_chunks k join campaigns c on c.id = k.campaign_id
         join unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no) on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no),
       scheduled as (
         update campaign_chunks k
         set due_at = case when l.next_claim is null or not l.is_at_work then null
                           when l.next_claim > now() then l.next_claim
                           when l.is_sending then now() + $4::float8 * interval '1 s'
                           else now() + $3::float8 * interval '1 ms' end,
             written_at = ${writtenNow('k')}
         from looked l where k.campaign_id = l.campaign_id and k.chunk_no = l.chunk_no)
       select campaign_id, chunk_no, application_id, channel, lane from looked where is_sending and next_claim <= now()`,
      [
        locked.map((row) => row.campaign_id),
        locked.map((row) => row.chunk_no),
        idleMs,
        ANNOUNCEMENT_GRACE_SECONDS,
      ],
    );
    return rows.map(toDueChunk);
  });
}

const scheduleStatement = (nextClaim: string): string =>
  prepared(
    `update campaign_chunks u set due_at = least(u.due_at, next.claim), written_at = ${writtenNow('u')},
     announced_offset = case when ${isRead('next.read_partition', 'next.read_offset')} then null else u.announced_offset end
   from (select k.campaign_id, k.chunk_no, x.read_partition, x.read_offset, ${nextClaim} as claim
         from unnest($1::uuid[], $2::int[], $3::int[], $4::bigint[]) as x(campaign_id, chunk_no, read_partition, read_offset)
         join campaign_chunks k on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no order by 1, 2) next
   where u.campaign_id = next.campaign_id and u.chunk_no = next.chunk_no and next.claim is not null
     and (u.due_at is null or u.due_at > next.claim or ${isRead('next.read_partition', 'next.read_offset')})`,
  );
const SCHEDULE = scheduleStatement(NEXT_CLAIM);
const SCHEDULE_ADDRESSES = scheduleStatement(NEXT_CLAIM_OF_ADDRESSES);

/** A chunk of which rows were scheduled; `read`: where the pointer stood that is done with. */
export type ChunkDoneWith = ChunkPointer & { readonly read?: PointerPosition };

/**
 * Makes each chunk due when its next row can be claimed, if that is sooner than it is due: for whoever has scheduled
 * rows of it. A pointer that is done with waits no longer, though those before it may hold back its commit. Of a chunk
 * that is named twice the last pointer counts. `channel` as in a claim. @callers channel-worker
 */
export async function scheduleChunks(
  db: Database,
  chunks: readonly ChunkDoneWith[],
  channel?: Channel,
): Promise<void> {
  // A statement updates a row once.
  const distinct = [
    ...new Map(
      chunks.toSorted(byOffset).map((chunk) => [`${chunk.campaignId} ${chunk.chunkNo}`, chunk]),
    ).values(),
  ];
  const statement =
    channel !== undefined && isDeviceChannel(channel) ? SCHEDULE_ADDRESSES : SCHEDULE;
  await db.sql.query(statement, [
    ...columns(distinct),
    distinct.map(({ read }) => read?.partition ?? null),
    distinct.map(({ read }) => read?.offset.toString() ?? null),
  ]);
}

const byOffset = (a: ChunkDoneWith, b: ChunkDoneWith): number =>
  Number((a.read?.offset ?? -1n) - (b.read?.offset ?? -1n));

/** Leaves a chunk alone for a while in which nothing of it can be sent; `read` as above. @callers channel-worker */
export async function putOffChunk(
  db: Database,
  { campaignId, chunkNo }: ChunkPointer,
  { delayMs, read }: { readonly delayMs: number; readonly read?: PointerPosition },
): Promise<void> {
  await db.sql.query(
    `update campaign_chunks u set due_at = greatest(u.due_at, now() + $5::float8 * interval '1 ms'), written_at = ${writtenNow('u')},
       announced_offset = case when ${isRead('$3', '$4')} then null else u.announced_offset end
     where u.campaign_id = $1 and u.chunk_no = $2 and u.due_at is not null`,
    [campaignId, chunkNo, read?.partition ?? null, read?.offset.toString() ?? null, delayMs],
  );
}

/** Makes chunks due at once. @callers campaigns */
export async function wakeChunks(sql: Sql, chunks: readonly ChunkPointer[]): Promise<void> {
  await sql.query(
    `with woken as (
       select k.campaign_id, k.chunk_no from campaign_chunks k join unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
         on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
       order by 1, 2 for update of k)
     update campaign_chunks k set due_at = now(), written_at = ${writtenNow('k')}
     from woken w where k.campaign_id = w.campaign_id and k.chunk_no = w.chunk_no`,
    columns(chunks),
  );
}

/** Makes every chunk of the campaign that is due some time due at once: its rows may be claimed again. @callers delivery */
export async function wakeCampaign(sql: Sql, campaignId: string): Promise<void> {
  await sql.query(
    `with woken as (select chunk_no from campaign_chunks where campaign_id = $1 and due_at is not null order by 1 for update)
     update campaign_chunks k set due_at = now(), written_at = ${writtenNow('k')}
     from woken w where k.campaign_id = $1 and k.chunk_no = w.chunk_no`,
    [campaignId],
  );
}

/** Notes where the pointers of these chunks stand, so that a sweep repeats none that still waits to be read. @callers campaigns */
export async function markAnnounced(
  db: Database,
  chunks: readonly (ChunkPointer & PointerPosition)[],
): Promise<void> {
  await db.sql.query(
    `with announced as (
       select k.campaign_id, k.chunk_no, x.partition, x.pointer
       from campaign_chunks k join unnest($1::uuid[], $2::int[], $3::int[], $4::bigint[]) as x(campaign_id, chunk_no, partition, pointer)
         on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
       order by 1, 2 for update of k)
     update campaign_chunks k set announced_partition = a.partition, announced_offset = a.pointer
     from announced a where k.campaign_id = a.campaign_id and k.chunk_no = a.chunk_no`,
    [
      ...columns(chunks),
      chunks.map((chunk) => chunk.partition),
      chunks.map((chunk) => chunk.offset.toString()),
    ],
  );
}

export type DueChunkRow = {
  readonly campaign_id: string;
  readonly chunk_no: number;
  readonly application_id: string;
  readonly channel: Channel;
  readonly lane: Lane;
};

export type AnnouncedChunkRow = DueChunkRow & {
  readonly announced_partition: number | null;
  readonly announced_offset: string | null;
};

export const toAnnouncedChunk = (row: AnnouncedChunkRow): AnnouncedChunk => ({
  ...toDueChunk(row),
  announcedPartition: row.announced_partition,
  announcedOffset: row.announced_offset === null ? null : BigInt(row.announced_offset),
});

export const toDueChunk = (row: DueChunkRow): DueChunk => ({
  campaignId: row.campaign_id,
  chunkNo: row.chunk_no,
  applicationId: row.application_id,
  channel: row.channel,
  lane: row.lane,
});

const columns = (chunks: readonly ChunkPointer[]): [string[], number[]] => [
  chunks.map((chunk) => chunk.campaignId),
  chunks.map((chunk) => chunk.chunkNo),
];
