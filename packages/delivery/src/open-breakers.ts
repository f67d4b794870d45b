import type { Channel } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';

export type BreakerCause = 'failures' | 'rate_limited';

/** The breaker of one account in one worker process. */
export type BreakerKey = {
  readonly applicationId: string;
  readonly channel: Channel;
  /** Where messages name their own receiver, that one; else empty. */
  readonly receiver: string;
  readonly owner: string;
};

/** What nobody has told of for so long after its probe was due belongs to a process that is gone. */
const PROBE_GRACE_MS = 180_000;

/** Tells that a breaker is open, until when. @callers channel-worker */
export async function noteOpenBreaker(
  sql: Sql,
  {
    applicationId,
    channel,
    receiver,
    owner,
    version,
    cause,
    probeInMs,
  }: BreakerKey & {
    readonly version: number;
    readonly cause: BreakerCause;
    readonly probeInMs: number;
  },
): Promise<void> {
  await sql.query(
    `with gone as (
       delete from channel_breakers where application_id = $1 and channel = $2 and probe_at < now() - $8::float8 * interval '1 ms' and (receiver, owner) <> ($3, $4))
     insert into channel_breakers (application_id, channel, receiver, owner, version, cause, probe_at)
     values ($1, $2, $3, $4, $5, $6, now() + $7::float8 * interval '1 ms')
     on conflict (application_id, channel, receiver, owner) do update
     set version = excluded.version, cause = excluded.cause, probe_at = excluded.probe_at`,
    [applicationId, channel, receiver, owner, version, cause, probeInMs, PROBE_GRACE_MS],
  );
}

/** Tells that a breaker is closed. @callers channel-worker */
export async function noteClosedBreaker(
  sql: Sql,
  { applicationId, channel, receiver, owner }: BreakerKey,
): Promise<void> {
  await sql.query(
    'delete from channel_breakers where application_id = $1 and channel = $2 and receiver = $3 and owner = $4',
    [applicationId, channel, receiver, owner],
  );
}

/** A worker that ends has no breakers. @callers channel-worker */
export async function forgetBreakersOf(
  sql: Sql,
  { channel, owner }: Pick<BreakerKey, 'channel' | 'owner'>,
): Promise<void> {
  await sql.query('delete from channel_breakers where channel = $1 and owner = $2', [
    channel,
    owner,
  ]);
}

/** What the workers tell of a channel together; null when none of its breakers is open. */
export type OpenBreakers = {
  readonly cause: BreakerCause;
  readonly openedAt: number;
  /** When the first of them is tried again. */
  readonly probeAt: number;
  readonly workers: number;
};

export async function readOpenBreakers(
  sql: Sql,
  {
    applicationId,
    channel,
    version,
  }: Pick<BreakerKey, 'applicationId' | 'channel'> & { readonly version: number },
): Promise<OpenBreakers | null> {
  const { rows } = await sql.query<{
    cause: BreakerCause;
    opened_at: Date;
    probe_at: Date;
    workers: number;
  }>(
    `select min(cause) as cause, min(opened_at) as opened_at, min(probe_at) as probe_at, count(distinct owner)::int as workers
     from channel_breakers
     where application_id = $1 and channel = $2 and version = $3 and probe_at > now() - $4::float8 * interval '1 ms'
     having count(*) > 0`,
    [applicationId, channel, version, PROBE_GRACE_MS],
  );
  const [row] = rows;
  return row === undefined
    ? null
    : {
        cause: row.cause,
        openedAt: row.opened_at.getTime(),
        probeAt: row.probe_at.getTime(),
        workers: row.workers,
      };
}
