import { systemClock, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createRecordingLogger } from '@tidings/testing';
import { createPass } from '../job.ts';
import { runRetention, type RetentionSettings } from '../jobs/retention.ts';

export const DAY_MS = 86_400_000;

/** Far enough ahead that other days have their own partitions. */
export const NOW = Date.now() + 45 * DAY_MS;

export const CUTOFF = NOW - 30 * DAY_MS;

/** Start of the first day that is kept completely. */
export const KEPT_FROM = Math.floor(CUTOFF / DAY_MS) * DAY_MS;
const recording = createRecordingLogger();
/** What passes have logged. */
export const lines = recording.lines;

export const SETTINGS: RetentionSettings = {
  retentionDays: 30,
  eventRetentionDays: 0,
  deviceRetentionDays: 180,
  chartRetentionDays: 0,
  auditRetentionDays: 0,
};

const BOUND = { itemsPerStep: 7, stepsMax: Infinity };

/** One pass of the retention. */
export const pass = (db: Database, settings: Partial<RetentionSettings> = {}, nowMs = NOW) =>
  runRetention({
    ...createPass(BOUND, {
      db,
      logger: recording.logger,
      clock: systemClock,
      signal: new AbortController().signal,
    }),
    nowMs,
    settings: { ...SETTINGS, ...settings },
  });

export async function newUser(
  db: Database,
  applicationId: string,
  isRegistered: boolean,
): Promise<string> {
  const id = systemIds.uuid();
  await db.sql.query(
    'insert into users (id, application_id, custom_user_id, registered_at) values ($1::uuid, $2, $1::uuid::text, $3)',
    [id, applicationId, isRegistered ? new Date() : null],
  );
  return id;
}

/** All rows that a request of this time leaves. */
export async function leaveTraces(
  db: Database,
  {
    applicationId,
    userId,
    at,
    isDerived = false,
  }: {
    readonly applicationId: string;
    readonly userId: string | null;
    readonly at: number;
    /** The receipt is derived from the event; the previous version wrote one. */
    readonly isDerived?: boolean;
  },
): Promise<void> {
  const [requestId, arrival] = [systemIds.uuid(), new Date(at)];
  await db.sql.query(
    'insert into ingest_requests (request_id, application_id, received_at, message_count, taken_by_events) values ($1, $2, $3, 1, true)',
    [requestId, applicationId, arrival],
  );
  if (!isDerived)
    await db.sql.query(
      `insert into receipts (request_id, message_index, application_id, message_id, type, outcome, user_id, received_at) values ($1::uuid, 0, $2, $1::uuid::text, 'action', 'stored', $3, $4)`,
      [requestId, applicationId, userId, arrival],
    );
  await db.sql.query(
    `insert into duplicate_keys (id_key, request_id, message_index, received_at)
     values (duplicate_key($1::uuid || ':server:' || $2::uuid), $2::uuid, 0, $3)`,
    [applicationId, requestId, arrival],
  );
  // As the previous version.
  await db.sql.query(
    `insert into message_keys (application_id, message_id, request_id, message_index, received_at) values ($1, 'other ' || $2::uuid, $2::uuid, 0, $3)`,
    [applicationId, requestId, arrival],
  );
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at) values ($1::uuid, 0, $2, $3, $1::uuid::text, 'action', 'viewd', 1, $4)`,
    [requestId, applicationId, userId, arrival],
  );
}

/** Times of the rows, latest first. */
export async function arrivals(
  db: Database,
  from: string,
  values: readonly unknown[] = [],
): Promise<number[]> {
  const { rows } = await db.sql.query<{ received_at: Date }>(
    `select received_at from ${from} order by received_at desc`,
    [...values],
  );
  return rows.map((row) => row.received_at.getTime());
}
