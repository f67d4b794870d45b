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
import { deleteDueRows, type DueRows } from '@tidings/postgres/due-rows';
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
 * @throws ConfigError for a retention that the database does not allow, or when events would be
 * deleted before their receipts
 */
export function retention({
  retentionIntervalMs,
  ...settings
}: RetentionSettings & Pick<SchedulerConfig, 'retentionIntervalMs'>): Job {
  const { auditRetentionDays, eventRetentionDays, retentionDays } = settings;
  if (auditRetentionDays !== 0 && auditRetentionDays < AUDIT_DAYS_MIN)
    throw new ConfigError([`AUDIT_RETENTION_DAYS must be 0 or at least ${AUDIT_DAYS_MIN}`]);
  if (eventRetentionDays !== 0 && eventRetentionDays < retentionDays)
    throw new ConfigError([
      'EVENT_RETENTION_DAYS must be 0 or at least RETENTION_DAYS: receipts are derived from events',
    ]);
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

/**
 * Deletes what is due. The order matters: request tables before receipts, held events before their
 * receipts, events and devices before anonymous users. Returns whether nothing was left for the next
 * pass.
 */
async function removeDue(pass: RetentionPass): Promise<boolean> {
  const before = daysAgo(pass, pass.settings.retentionDays);
  for (const due of [...REQUEST_TABLES, DUE_DELETED_IDENTITIES, DUE_WEBHOOK_DELIVERIES])
    await deleteTableRows(pass, due, before);
  await aggregateCounters(pass);
  await deleteAuditEntries(pass);
  await deleteHeld(pass, before);
  const areDropped = await dropOldPartitions(pass, before);
  await deleteEventsOfApplications(pass);
  const unseenSince = daysAgo(pass, pass.settings.deviceRetentionDays);
  await deleteInSteps(pass, 'devices', (sql, limit) =>
    purgeUnseenDevices(sql, { before: unseenSince, limit }),
  );
  await purgeAllAnonymousUsers(pass, before);
  return areDropped;
}

const daysAgo = ({ nowMs }: RetentionPass, days: number): Date => new Date(nowMs - days * DAY_MS);

function deleteTableRows(pass: RetentionPass, due: DueRows, before: Date): Promise<void> {
  return deleteInSteps(pass, due.table, (sql, limit) => deleteDueRows(sql, due, { before, limit }));
}

/** Merges counters of different connections, then rolls up old buckets of charts. */
async function aggregateCounters(pass: RetentionPass): Promise<void> {
  const settled = new Date(pass.nowMs - COUNTERS_SETTLE_MS);
  for (const table of SHARDED_TABLES)
    await repeatStep(pass, (sql, limit) =>
      mergeCounterShards(sql, table, { before: settled, limit }),
    );
  const { chartRetentionDays } = pass.settings;
  if (chartRetentionDays === 0) return;
  // Never before its shards are merged.
  const before = new Date(Math.min(settled.getTime(), daysAgo(pass, chartRetentionDays).getTime()));
  for (const table of CHART_TABLES)
    await repeatStep(pass, (sql, limit) => rollUpChart(sql, table, { before, limit }));
}

async function deleteAuditEntries(pass: RetentionPass): Promise<void> {
  const { auditRetentionDays } = pass.settings;
  if (auditRetentionDays !== 0)
    await deleteTableRows(pass, DUE_AUDIT_ENTRIES, daysAgo(pass, auditRetentionDays));
}

/**
 * Drops whole partitions. Returns false when a table is in use, and is left for the next pass. The
 * log derives receipts from events, so these go after their requests.
 */
async function dropOldPartitions(pass: RetentionPass, before: Date): Promise<boolean> {
  const { eventRetentionDays } = pass.settings;
  const areRequestsDropped = await drop(pass, 'ingest_requests', before);
  const mayDropEvents = eventRetentionDays !== 0 && areRequestsDropped;
  const areDropped = [
    areRequestsDropped,
    await drop(pass, 'receipts', before),
    !mayDropEvents || (await drop(pass, 'events', daysAgo(pass, eventRetentionDays))),
  ];
  return areDropped.every(Boolean);
}

/** Deletes events row by row, for applications that keep them for a shorter time. */
async function deleteEventsOfApplications(pass: RetentionPass): Promise<void> {
  const { eventRetentionDays } = pass.settings;
  for (const { applicationId, days } of await shorterEventRetentions(pass.db, eventRetentionDays)) {
    const before = daysAgo(pass, days);
    await deleteInSteps(pass, 'events', (sql, limit) =>
      deleteOldEvents(sql, { applicationId, before, limit }),
    );
  }
}

/** Runs after the deletion of held events: a user with a held event is kept. */
async function purgeAllAnonymousUsers(pass: RetentionPass, before: Date): Promise<void> {
  const limit = Math.min(ANONYMOUS_USERS_PER_STEP, pass.itemsPerStep);
  await pass.inSteps(async () => {
    const groups = await findStaleAnonymousUsers(pass.db, { before, limit });
    for (const own of groups) {
      rowsDeletedTotal.inc(
        { table: 'users' },
        await step(pass, (sql) =>
          purgeAnonymousUsers(sql, own, { before, now: new Date(pass.nowMs) }),
        ),
      );
    }
    return groups.length > 0;
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
    if (dropped === 'busy')
      logger.warn(
        { table },
        'old partitions not dropped: the table or the retention lock is in use; the next pass tries again',
      );
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
