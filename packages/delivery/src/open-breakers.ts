import type { Channel } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

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
export async function recordOpenBreaker(
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
  await sql.query(statement('record-open-breaker'), [
    applicationId,
    channel,
    receiver,
    owner,
    version,
    cause,
    probeInMs,
    PROBE_GRACE_MS,
  ]);
}

/** Tells that a breaker is closed. @callers channel-worker */
export async function recordClosedBreaker(
  sql: Sql,
  { applicationId, channel, receiver, owner }: BreakerKey,
): Promise<void> {
  await sql.query(statement('record-closed-breaker'), [applicationId, channel, receiver, owner]);
}

/** A worker that ends has no breakers. @callers channel-worker */
export async function deleteBreakersOf(
  sql: Sql,
  { channel, owner }: Pick<BreakerKey, 'channel' | 'owner'>,
): Promise<void> {
  await sql.query(statement('delete-breakers-of'), [channel, owner]);
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
  }>(statement('read-open-breakers'), [applicationId, channel, version, PROBE_GRACE_MS]);
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
