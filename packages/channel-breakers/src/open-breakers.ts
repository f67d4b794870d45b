import type { Channel } from '@tidings/contracts/channels/channels';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type BreakerCause = 'failures' | 'rate_limited';

/** The breaker of one account in one worker process. */
export type BreakerKey = {
  readonly applicationId: string;
  readonly channel: Channel;
  /** The receiver named by the messages, or the account of several; otherwise empty. */
  readonly receiver: string;
  readonly owner: string;
};

/** A breaker not updated this long after its probe was due belongs to a process that is gone. */
const PROBE_GRACE_MS = 180_000;

/** Records an open breaker and its next probe. @callers channel-worker */
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

/** Records a closed breaker. @callers channel-worker */
export async function recordClosedBreaker(
  sql: Sql,
  { applicationId, channel, receiver, owner }: BreakerKey,
): Promise<void> {
  await sql.query(statement('record-closed-breaker'), [applicationId, channel, receiver, owner]);
}

/** Deletes the breakers of a worker that exits. @callers channel-worker */
export async function deleteWorkerBreakers(
  sql: Sql,
  { channel, owner }: Pick<BreakerKey, 'channel' | 'owner'>,
): Promise<void> {
  await sql.query(statement('delete-worker-breakers'), [channel, owner]);
}

/** Breakers that are open, over all workers. */
export type OpenBreakers = {
  readonly cause: BreakerCause;
  readonly openedAt: number;
  /** Time of the first probe. */
  readonly probeAt: number;
  readonly workers: number;
};

/** Those of a channel, or of one receiver; null if none is open. */
export async function readOpenBreakers(
  sql: Sql,
  {
    applicationId,
    channel,
    version,
    receiver,
  }: Pick<BreakerKey, 'applicationId' | 'channel'> &
    Partial<Pick<BreakerKey, 'receiver'>> & { readonly version: number },
): Promise<OpenBreakers | null> {
  const { rows } = await sql.query<{
    cause: BreakerCause;
    opened_at: Date;
    probe_at: Date;
    workers: number;
  }>(statement('read-open-breakers'), [
    applicationId,
    channel,
    version,
    PROBE_GRACE_MS,
    receiver ?? null,
  ]);
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
