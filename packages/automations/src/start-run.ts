import { stringifyExactJson, systemIds } from '@tidings/platform';
import { dataErrorState, type Database, type Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { readNow } from '@tidings/segments/question-queue';
import { shardOf } from '@tidings/user-changes/changes';
import { createHash } from 'node:crypto';
import { isFull } from './capacity.ts';
import { readAutomation } from './automations.ts';
import { refusalOf } from './refusal.ts';
import { uuidOf } from './uuid-of.ts';

const statement = statementsIn(import.meta.dirname);

/** Someone whom the API enters. */
export type RunRequest = {
  readonly applicationId: string;
  readonly slug: string;
  readonly customUserId: string;
  /** Tells apart the runs of the person. */
  readonly key?: string | undefined;
  /** What templates see as the attributes of the event. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly idempotencyKey?: string | undefined;
};

export type StartedRun =
  | { readonly runId: string; readonly isReplayed: boolean }
  /** `other_trigger`: events enter people there. `other_body`: of an earlier request with this key. */
  | 'not_found'
  | 'not_active'
  | 'other_trigger'
  | 'not_registered'
  | 're_entry'
  | 'capacity'
  | 'other_body';

const UNIQUE_VIOLATION = '23505';

/** Enters a person. Once it resolves, the run is durable. @callers api */
export async function startRun(db: Database, request: RunRequest): Promise<StartedRun> {
  try {
    return await enterPerson(db, request);
  } catch (error) {
    // A run of the person that had failed was tried again between the question and the insert.
    if (dataErrorState(error) === UNIQUE_VIOLATION) return 're_entry';
    throw error;
  }
}

function enterPerson(db: Database, request: RunRequest): Promise<StartedRun> {
  const { applicationId, slug, customUserId, key = '', data = {} } = request;
  return db.transaction(async (sql): Promise<StartedRun> => {
    const automation = await readAutomation(sql, { applicationId, slug });
    if (automation === null) return 'not_found';
    const { id, live, liveVersion, status } = automation;
    const before = await findRepeated(sql, id, request);
    if (before !== null) return before;
    if (live !== null && !('api' in live.trigger)) return 'other_trigger';
    if (live === null || liveVersion === null || status !== 'active') return 'not_active';
    const userId = await findPerson(sql, applicationId, customUserId);
    if (userId === null) return 'not_registered';
    const { rowCount } = await sql.query(statement('hold-automation'), [id, liveVersion]);
    if (rowCount === 0) return 'not_active';
    // Requests for one person, and those with one key, follow each other.
    for (const lock of [userId, request.idempotencyKey ?? userId].toSorted())
      await sql.query(statement('lock-person-in-automation'), [id, lock]);
    const repeated = await findRepeated(sql, id, request);
    if (repeated !== null) return repeated;
    const refusal = await askEntry(sql, {
      applicationId,
      automationId: id,
      userId,
      key,
      entry: live.entry,
    });
    if (refusal !== null) return refusal;
    const runId = systemIds.uuid();
    const shard = shardOf(userId);
    await sql.query(statement('insert-run'), [
      runId,
      applicationId,
      id,
      liveVersion,
      userId,
      key,
      shard,
      stringifyExactJson(data),
    ]);
    await sql.query(statement('insert-timer'), [runId, shard, applicationId, id]);
    if (request.idempotencyKey !== undefined)
      await sql.query(statement('note-request'), [
        id,
        requestIdOf(request.idempotencyKey),
        applicationId,
        userId,
        runId,
        bodyHashOf(request),
      ]);
    return { runId, isReplayed: false };
  });
}

async function findPerson(
  sql: Sql,
  applicationId: string,
  customUserId: string,
): Promise<string | null> {
  const { rows } = await sql.query<{ id: string }>(statement('find-registered-person'), [
    applicationId,
    customUserId,
  ]);
  return rows[0]?.id ?? null;
}

/** What an earlier request with the same key became. */
async function findRepeated(
  sql: Sql,
  automationId: string,
  request: RunRequest,
): Promise<StartedRun | null> {
  if (request.idempotencyKey === undefined) return null;
  const { rows } = await sql.query<{ run_id: string | null; body_hash: Buffer | null }>(
    statement('read-earlier-request'),
    [automationId, requestIdOf(request.idempotencyKey)],
  );
  const [row] = rows;
  if (row?.run_id == null) return null;
  return row.body_hash?.equals(bodyHashOf(request)) === true
    ? { runId: row.run_id, isReplayed: true }
    : 'other_body';
}

async function askEntry(
  sql: Sql,
  {
    applicationId,
    automationId,
    userId,
    key,
    entry = { again: 'never' },
  }: {
    readonly applicationId: string;
    readonly automationId: string;
    readonly userId: string;
    readonly key: string;
    readonly entry: Parameters<typeof refusalOf>[0] | undefined;
  },
): Promise<'re_entry' | 'capacity' | null> {
  const { rows } = await sql.query<{
    last_entered: number | null;
    is_running: boolean;
    runs: number;
  }>(statement('read-entries'), [automationId, userId, key]);
  const [row] = rows;
  return refusalOf(entry, {
    hasRoom: !(await isFull(sql, applicationId)),
    now: await readNow(sql),
    isRunning: row?.is_running === true,
    runs: row?.runs ?? 0,
    lastEntered: row?.last_entered ?? null,
  });
}

/** Its place among the requests of an automation. */
const requestIdOf = (idempotencyKey: string): string => uuidOf(`run ${idempotencyKey}`);

const bodyHashOf = ({ customUserId, key = '', data = {} }: RunRequest): Buffer =>
  createHash('sha256')
    .update(stringifyExactJson([customUserId, key, data]))
    .digest();
