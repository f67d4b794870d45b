import { activateAutomation, writeAutomation } from '@tidings/automations/automations';
import {
  handleChanges,
  handleSegments,
  handleTimers,
  type StepObserver,
} from '@tidings/automations/shard-step';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { applyEventMessages } from '@tidings/events-consumer/apply-event-messages';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { createCursors } from '@tidings/partitioned-log/cursors';
import type { Database } from '@tidings/postgres/database';
import {
  actionMessage,
  applyRecords,
  createSendingApplication,
  ingestRecord,
  userMessage,
} from '@tidings/testing';
import { readUserChangesTopic, SHARDS } from '@tidings/user-changes/changes';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';

const USERS = { consumer: 'users', apply: applyUserMessages } as const;
const EVENTS = { consumer: 'events', apply: applyEventMessages } as const;

export { cart, HOUR_MS, mail } from '@tidings/automation-rehearsal/testing';

/** An application whose records are stored as the consumers do, and an engine that a test steps. */
export async function automationRig(db: Database) {
  const { applicationId } = await createSendingApplication(db);
  const { topicId } = await readUserChangesTopic(db.sql);
  await createCursors(db.sql, { group: AUTOMATIONS_GROUP, topicId });
  const failures: unknown[] = [];
  const observer: StepObserver = {
    onFailure: (error) => failures.push(error),
    onEntryFailure: (error) => failures.push(error),
    onSegmentFailure: (error) => failures.push(error),
    onPutOff: () => failures.push('put off'),
    onUnreadable: () => failures.push('unreadable'),
  };
  const record = (overrides: Partial<IngestRecord> = {}): IngestRecord =>
    ingestRecord({ applicationId, customUserId: 'ada', ...overrides });
  const applyUsers = (...records: readonly IngestRecord[]) => applyRecords(db, USERS, records);
  const applyEvents = (...records: readonly IngestRecord[]) => applyRecords(db, EVENTS, records);
  const store = async (overrides: Partial<IngestRecord>): Promise<IngestRecord> => {
    const sent = record(overrides);
    await applyUsers(sent);
    await applyEvents(sent);
    return sent;
  };
  const eachShard = async (step: typeof handleChanges): Promise<void> => {
    for (let shard = 0; shard < SHARDS; shard += 1)
      while ((await step(db, { topicId, shard }, observer))?.hasMore === true);
  };
  return {
    applicationId,
    failures,
    observer,
    record,
    applyUsers,
    applyEvents,
    /** A request as both consumers store it. */
    store,
    register: (customUserId = 'ada', fields: Readonly<Record<string, unknown>> = {}) =>
      store({
        customUserId,
        messages: [userMessage({ email: `${customUserId}@example.org`, ...fields })],
      }),
    does: (customName: string, overrides: Readonly<Record<string, unknown>> = {}, of = 'ada') =>
      store({ customUserId: of, messages: [actionMessage({ customName, ...overrides })] }),
    /** Event definitions, before an event is sent. */
    async define(...names: readonly string[]): Promise<void> {
      for (const name of names) await createDefinition(db, { applicationId, name, kind: 'action' });
    },
    async write(definition: unknown, slug = 'cart') {
      const written = await writeAutomation(db, { applicationId, slug, definition, by: 'test' });
      if (typeof written === 'string' || 'errors' in written)
        throw new Error(`not written: ${JSON.stringify(written)}`);
      return written.automation;
    },
    async activate(definition: unknown, slug = 'cart') {
      const automation = await this.write(definition, slug);
      const changed = await activateAutomation(db, {
        applicationId,
        slug,
        inFlight: 'keep',
        by: 'test',
      });
      if (!('automation' in changed)) throw new Error(`not active: ${JSON.stringify(changed)}`);
      return automation;
    },
    changes: () => eachShard(handleChanges),
    timers: () => eachShard(handleTimers),
    /** One step of one shard. */
    timersOf: (shard: number) => handleTimers(db, { topicId, shard }, observer),
    segments: () => eachShard(handleSegments),
    async step(): Promise<void> {
      await this.changes();
      await this.segments();
      await this.timers();
    },
    /** All runs of the application look again. */
    async wake(): Promise<void> {
      await db.sql.query('update automation_timers set due_at = now() where application_id = $1', [
        applicationId,
      ]);
    },
    /** Lets time pass for the runs of the application: their timers and waits end that much earlier. */
    async pass(ms: number): Promise<void> {
      const values = [applicationId, ms];
      await db.sql.query(
        `update automation_timers set due_at = due_at - $2 * interval '1 ms' where application_id = $1`,
        values,
      );
      await this.passThrottle(ms);
      await db.sql.query(
        `update automation_runs set waits_until = waits_until - $2 * interval '1 ms',
           goal_until = goal_until - $2 * interval '1 ms',
           settles_until = settles_until - $2 * interval '1 ms' where application_id = $1`,
        values,
      );
    },
    /** Also for what a throttle has planned. */
    async passThrottle(ms: number): Promise<void> {
      await db.sql.query(
        `update automation_throttles set next_ms = next_ms - $2, sent_ms = sent_ms - $2 where application_id = $1`,
        [applicationId, ms],
      );
    },
    async runs() {
      const { rows } = await db.sql.query<{
        id: string;
        status: string;
        node: string | null;
        entry_key: string;
        goal_at: Date | null;
      }>(
        `select id, status, node, entry_key, goal_at from automation_runs where application_id = $1 order by id`,
        [applicationId],
      );
      return rows;
    },
    /** Of each run, its lines: `node outcome reason`. */
    async traces(): Promise<string[][]> {
      const { rows } = await db.sql.query<{ run_id: string; said: string }>(
        `select run_id, concat_ws(' ', nullif(node, ''), outcome, reason) as said from automation_trace
         where application_id = $1 order by run_id, line`,
        [applicationId],
      );
      return [...Map.groupBy(rows, (row) => row.run_id).values()].map((lines) =>
        lines.map(({ said }) => said),
      );
    },
    async triggers(): Promise<string[]> {
      const { rows } = await db.sql.query<{ result: string }>(
        'select result from automation_triggers where application_id = $1 order by result',
        [applicationId],
      );
      return rows.map(({ result }) => result);
    },
    async deliveries() {
      const { rows } = await db.sql.query<{ id: string; custom_user_id: string }>(
        'select id, custom_user_id from deliveries where application_id = $1',
        [applicationId],
      );
      return rows;
    },
    /** Totals by node and outcome. */
    async counts(): Promise<Record<string, number>> {
      const { rows } = await db.sql.query<{ what: string; n: string }>(
        `select concat_ws(' ', nullif(node, ''), outcome, nullif(reason, '')) as what, sum(n) as n
         from automation_counters where application_id = $1 group by 1 order by 1`,
        [applicationId],
      );
      return Object.fromEntries(rows.map(({ what, n }) => [what, Number(n)]));
    },
  };
}
