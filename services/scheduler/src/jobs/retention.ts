import { DUE_AUDIT_ENTRIES } from '@tidings/accounts/audit-log';
import { deleteOldEvents, deleteHeldEvents, FIRST_RECEIPT } from '@tidings/events/due-events';
import { shorterEventRetentions } from '@tidings/events/retention/event-retentions';
import {
  rollUpChart,
  mergeCounterShards,
  CHART_TABLES,
  SHARDED_TABLES,
} from '@tidings/events/retention/roll-up';
import { withRetentionLock } from '@tidings/events/retention/retention-lock';
import {
  dropPartitions,
  readDuePartitionsEnd,
  makePartitions,
  type PartitionedTable,
} from '@tidings/events/retention/partitions';
import { REQUEST_TABLES } from '@tidings/events/retention/request-tables';
import { DUE_DELETED_IDENTITIES } from '@tidings/people/deleted-identities';
import { purgeUnseenDevices } from '@tidings/people/devices/devices';
import {
  findStaleAnonymousUsers,
  purgeAnonymousUsers,
} from '@tidings/people/purge-anonymous-users';
import { ConfigError, Counter, Gauge } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { readDatabaseTime } from '@tidings/postgres/database-time';
import { deleteDueRows } from '@tidings/postgres/due-rows';
import { DUE_WEBHOOK_DELIVERIES } from '@tidings/webhook-queue/delivery-log';
import type { SchedulerConfig } from '../config.ts';
import type { Job, Pass } from '../job.ts';

const rowsDeletedTotal = new Counter({
  name: 'tidings_retention_rows_deleted_total',
  help: 'Rows deleted one by one after their retention.',
  labelNames: ['table'] as const,
});
const partitionsTotal = new Counter({
  name: 'tidings_retention_partitions_total',
  help: 'Partitions created in advance, and dropped after their retention.',
  labelNames: ['action'] as const,
});
const lastSuccess = new Gauge({
  name: 'tidings_retention_last_success_timestamp_seconds',
  help: 'Time of the last retention pass that completed all its work.',
});

const DAY_MS = 86_400_000;
/** Transactions that add to a counter after 2 hours are merged by the next pass. */
const COUNTERS_SETTLE_MS = 2 * 3_600_000;
/** Smaller steps: consumers of the application wait while each user is checked. */
const ANONYMOUS_USERS_PER_STEP = 200;

/** Enforced by a trigger, too: the database never deletes younger audit entries. */
const AUDIT_DAYS_MIN = 30;

export type RetentionSettings = Pick<
  SchedulerConfig,
  | 'retentionDays'
  | 'eventRetentionDays'
  | 'deviceRetentionDays'
  | 'chartRetentionDays'
  | 'auditRetentionDays'
>;

/**
 * Creates future partitions, then deletes what is past its retention, in short steps.
 * @throws ConfigError for a retention that the database does not allow
 */
export function retention({
  retentionIntervalMs,
  ...settings
}: RetentionSettings & Pick<SchedulerConfig, 'retentionIntervalMs'>): Job {
  const { auditRetentionDays } = settings;
  if (auditRetentionDays !== 0 && auditRetentionDays < AUDIT_DAYS_MIN)
    throw new ConfigError([`AUDIT_RETENTION_DAYS must be 0 or at least ${AUDIT_DAYS_MIN}`]);
  return {
    name: 'retention',
    intervalMs: retentionIntervalMs,
    bound: { itemsPerStep: 2_000, stepsMax: Infinity },
    replicaMode: 'advisory-lock',
    async run(pass) {
      // Uses the earlier of both clocks, so that nothing is deleted too early.
      const nowMs = Math.min(pass.clock.now(), await readDatabaseTime(pass.db));
      await runRetention({ ...pass, settings, nowMs });
    },
  };
}

type RetentionPass = Pass & { readonly settings: RetentionSettings; readonly nowMs: number };

/** Another process holds the retention lock. */
class LockTakenError extends Error {}

/** One pass: deletes what is past its retention at `nowMs`. */
export async function runRetention(pass: RetentionPass): Promise<void> {
  partitionsTotal.inc({ action: 'made' }, await makePartitions(pass.db, new Date(pass.nowMs)));
  try {
    if (await removeDue(pass)) lastSuccess.setToCurrentTime();
  } catch (error) {
    if (!(error instanceof LockTakenError)) throw error;
    pass.logger.debug({}, 'retention runs in another process');
  }
}

/** Returns whether nothing was left for the next pass. */
async function removeDue(pass: RetentionPass): Promise<boolean> {
  const before = new Date(pass.nowMs - pass.settings.retentionDays * DAY_MS);
  for (const due of [...REQUEST_TABLES, DUE_DELETED_IDENTITIES, DUE_WEBHOOK_DELIVERIES])
    await deleteInSteps(pass, due.table, (sql, limit) =>
      deleteDueRows(sql, due, { before, limit }),
    );
  const settled = new Date(pass.nowMs - COUNTERS_SETTLE_MS);
  for (const table of SHARDED_TABLES)
    await repeatStep(pass, (sql, limit) =>
      mergeCounterShards(sql, table, { before: settled, limit }),
    );
  const { eventRetentionDays, chartRetentionDays, auditRetentionDays } = pass.settings;
  const chartsBefore = new Date(
    Math.min(settled.getTime(), pass.nowMs - chartRetentionDays * DAY_MS),
  );
  for (const table of chartRetentionDays === 0 ? [] : CHART_TABLES)
    await repeatStep(pass, (sql, limit) =>
      rollUpChart(sql, table, { before: chartsBefore, limit }),
    );
  const auditBefore = new Date(pass.nowMs - auditRetentionDays * DAY_MS);
  if (auditRetentionDays !== 0)
    await deleteInSteps(pass, DUE_AUDIT_ENTRIES.table, (sql, limit) =>
      deleteDueRows(sql, DUE_AUDIT_ENTRIES, { before: auditBefore, limit }),
    );
  await deleteHeld(pass, before);
  const areDropped = [
    await drop(pass, 'ingest_requests', before),
    await drop(pass, 'receipts', before),
    eventRetentionDays === 0 ||
      (await drop(pass, 'events', new Date(pass.nowMs - eventRetentionDays * DAY_MS))),
  ];
  // Row by row only for events that no partition drop covers.
  for (const { applicationId, days } of await shorterEventRetentions(pass.db, eventRetentionDays)) {
    const due = new Date(pass.nowMs - days * DAY_MS);
    await deleteInSteps(pass, 'events', (sql, limit) =>
      deleteOldEvents(sql, { applicationId, before: due, limit }),
    );
  }
  // Before anonymous users: a user with a device is kept.
  const unseenSince = new Date(pass.nowMs - pass.settings.deviceRetentionDays * DAY_MS);
  await deleteInSteps(pass, 'devices', (sql, limit) =>
    purgeUnseenDevices(sql, { before: unseenSince, limit }),
  );
  await purgeAllAnonymousUsers(pass, before);
  return areDropped.every(Boolean);
}

/** Runs after the deletion of held events: a user with a held event is kept. */
async function purgeAllAnonymousUsers(pass: RetentionPass, before: Date): Promise<void> {
  const limit = Math.min(ANONYMOUS_USERS_PER_STEP, pass.itemsPerStep);
  await pass.inSteps(async () => {
    const batches = await findStaleAnonymousUsers(pass.db, { before, limit });
    for (const own of batches) {
      rowsDeletedTotal.inc(
        { table: 'users' },
        await step(pass, (sql) =>
          purgeAnonymousUsers(sql, own, { before, now: new Date(pass.nowMs) }),
        ),
      );
    }
    return batches.length > 0;
  });
}

/**
 * Deletes held events before their receipts are dropped, because only receipts mark events as held.
 */
async function deleteHeld(pass: RetentionPass, due: Date): Promise<void> {
  const before = await readDuePartitionsEnd(pass.db, 'receipts', due);
  if (before === null) return;
  let from = FIRST_RECEIPT;
  await pass.inSteps(async (limit) => {
    const { deleted, next } = await step(pass, (sql) =>
      deleteHeldEvents(sql, { before, after: from, limit }),
    );
    rowsDeletedTotal.inc({ table: 'events' }, deleted);
    from = next ?? from;
    return next !== null;
  });
}

/**
 * Drops a few partitions per step, so that other transactions wait only briefly. False when the
 * table is in use.
 */
async function drop(
  { db, logger, inSteps }: RetentionPass,
  table: PartitionedTable,
  before: Date,
): Promise<boolean> {
  let isDropped = true;
  await inSteps(async () => {
    const dropped = await dropPartitions(db, table, before);
    isDropped = dropped !== 'busy';
    if (dropped === 'busy' || dropped === 0) return false;
    partitionsTotal.inc({ action: 'dropped' }, dropped);
    logger.info({ table, dropped }, 'dropped partitions past their retention');
    return true;
  });
  return isDropped;
}

/** Repeats a step until it deletes fewer rows than its limit. */
function deleteInSteps(
  pass: RetentionPass,
  table: string,
  work: (sql: Sql, limit: number) => Promise<number>,
): Promise<void> {
  return repeatStep(pass, async (sql, limit) => {
    const deleted = await work(sql, limit);
    rowsDeletedTotal.inc({ table }, deleted);
    return deleted;
  });
}

async function repeatStep(
  pass: RetentionPass,
  work: (sql: Sql, limit: number) => Promise<number>,
): Promise<void> {
  await pass.inSteps(async (limit) => (await step(pass, (sql) => work(sql, limit))) >= limit);
}

async function step<T>({ db, signal }: RetentionPass, work: (sql: Sql) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const result = await withRetentionLock(db, work);
  if (result === 'busy') throw new LockTakenError();
  return result;
}
