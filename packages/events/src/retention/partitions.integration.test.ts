import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { createApplication } from '@tidings/accounts/applications';
import { systemIds } from '@tidings/platform';
import {
  isLockTimeout,
  isMissingPartition,
  dataErrorState,
  type Database,
  type Sql,
} from '@tidings/postgres/database';
import {
  actionMessage,
  connectTestDatabase,
  createOwnDatabase,
  ingestRecord,
} from '@tidings/testing';
import { insertEvents } from '../events.ts';
import { writeReceipts } from '../receipts.ts';
import { readIngestReport } from '../ingest-log/ingest-report.ts';
import { takeRecords } from '../take-records.ts';
import { listUserEvents } from '../user-events.ts';
import { dropPartitions, makePartitions } from './partitions.ts';

// Each test has a separate database; creating one takes a while.
jest.setTimeout(30_000);

const DAY_MS = 86_400_000;
const shared = connectTestDatabase({ poolMax: 2 });
afterAll(() => shared.close());

const midnight = (at: number): Date => new Date(Math.floor(at / DAY_MS) * DAY_MS);

async function ends(db: Database, table: string): Promise<number[]> {
  const { rows } = await db.sql.query<{ ends: Date }>(
    'select ends from partitions_of($1) order by ends',
    [table],
  );
  return rows.map((row) => row.ends.getTime());
}

async function storeEvent(
  db: Database,
  {
    applicationId,
    userId,
    receivedAt,
  }: {
    readonly applicationId: string;
    readonly userId: string | null;
    readonly receivedAt: number;
  },
) {
  const record = ingestRecord({ applicationId, receivedAt, messages: [actionMessage()] });
  await db.transaction(async (sql) => {
    await takeRecords(sql, 'events', [record]);
    await insertEvents(sql, [{ record, index: 0, slug: 'viewd', userId, isProved: true }]);
    await writeReceipts(sql, [{ record, receipts: [{ outcome: 'stored', userId }] }]);
  });
  return record;
}

async function newUser(db: Database) {
  const { applicationId } = await createApplication(db, 'has events');
  const userId = systemIds.uuid();
  await db.sql.query(
    'insert into users (id, application_id, registered_at) values ($1, $2, now())',
    [userId, applicationId],
  );
  await db.sql.query(
    "insert into definitions (application_id, slug, kind, name, origin) values ($1, 'viewd', 'action', 'viewed', 'predefined')",
    [applicationId],
  );
  return { applicationId, userId };
}

describe('partitions', () => {
  test('are created once by any number of concurrent callers, without a gap, as far ahead as needed', async () => {
    const db = await createOwnDatabase({ poolMax: 10 });
    const now = Date.now() + 3 * DAY_MS;
    try {
      const made = await Promise.all(
        Array.from({ length: 8 }, () => makePartitions(db, new Date(now))),
      );

      // Three more days of two tables, possibly one more month.
      expect([6, 7]).toContain(made.reduce((sum, count) => sum + count, 0));
      for (const table of ['ingest_requests', 'receipts']) {
        const days = await ends(db, table);
        expect(days.at(-1)).toBe(midnight(now).getTime() + 15 * DAY_MS);
        expect(days.map((end, index) => end - (days[index - 1] ?? end - DAY_MS))).toEqual(
          days.map(() => DAY_MS),
        );
      }
    } finally {
      await db.close();
    }
  });

  test('have every index of their table, those that were built for each partition too', async () => {
    const db = await createOwnDatabase();
    try {
      await makePartitions(db, new Date(Date.now() + 400 * DAY_MS));

      const { rows } = await db.sql.query<{ indexes: number; valid: boolean }>(
        `select count(*)::int as indexes, bool_and(x.indisvalid) as valid
         from pg_inherits i join pg_index x on x.indrelid = i.inhrelid
         where i.inhparent = 'events'::regclass group by i.inhrelid
         union select count(*)::int, bool_and(indisvalid) from pg_index where indrelid = 'events'::regclass`,
      );
      // The primary key, and events by user, arrival, definition, user and definition, and of no user.
      expect(rows).toEqual([{ indexes: 6, valid: true }]);
    } finally {
      await db.close();
    }
  });

  test('of a period in which none were created are created later', async () => {
    const db = await createOwnDatabase();
    const later = Date.now() + 60 * DAY_MS;
    const { applicationId } = await newUser(db);
    try {
      const tooEarly = await storeEvent(db, {
        applicationId,
        userId: null,
        receivedAt: later - 3 * DAY_MS,
      }).catch((error: unknown) => error);
      expect(isMissingPartition(tooEarly)).toBe(true);
      expect(dataErrorState(tooEarly)).toBeUndefined();

      await makePartitions(db, new Date(later));

      for (const receivedAt of [later - 40 * DAY_MS, later - 3 * DAY_MS, later + DAY_MS])
        await storeEvent(db, { applicationId, userId: null, receivedAt });
    } finally {
      await db.close();
    }
  });

  test('each hold the rows that arrived in their period', async () => {
    const db = await createOwnDatabase();
    const { applicationId, userId } = await newUser(db);
    const tomorrow = midnight(Date.now() + DAY_MS).getTime();
    const partitionOf = async (receivedAt: number) => {
      const { requestId } = await storeEvent(db, { applicationId, userId, receivedAt });
      const { rows } = await db.sql.query<{ name: string }>(
        'select tableoid::regclass::text as name from receipts where request_id = $1',
        [requestId],
      );
      return rows[0]?.name;
    };
    const nameOf = (at: number) =>
      `receipts_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`;
    try {
      expect(await partitionOf(1)).toBe('receipts_before');
      expect(await partitionOf(tomorrow - 1)).toBe('receipts_before');
      expect(await partitionOf(tomorrow)).toBe(nameOf(tomorrow));
      expect(await partitionOf(tomorrow + DAY_MS - 1)).toBe(nameOf(tomorrow));
      expect(await partitionOf(tomorrow + DAY_MS)).toBe(nameOf(tomorrow + DAY_MS));
    } finally {
      await db.close();
    }
  });

  test('that are past are replaced by one for very late arrivals; while it is empty it stays', async () => {
    const db = await createOwnDatabase();
    const { applicationId, userId } = await newUser(db);
    const due = midnight(Date.now() + 4 * DAY_MS);
    const late = { applicationId, userId, receivedAt: Date.now() - 400 * DAY_MS };
    await storeEvent(db, late);
    try {
      expect(await dropPartitions(db, 'receipts', due)).toBe(4);
      expect(await dropPartitions(db, 'receipts', due)).toBe(0);
      expect((await db.sql.query('select from receipts')).rowCount).toBe(0);

      await storeEvent(db, late);
      expect((await db.sql.query('select from receipts_before')).rowCount).toBe(1);
      expect(await dropPartitions(db, 'receipts', due)).toBe(1);
      expect((await ends(db, 'receipts'))[0]).toBe(due.getTime());
    } finally {
      await db.close();
    }
  });

  test('are not dropped while they are read; a waiting writer is delayed only for a moment', async () => {
    const db = await createOwnDatabase();
    const { applicationId, userId } = await newUser(db);
    await storeEvent(db, { applicationId, userId, receivedAt: 1 });
    try {
      await db.transaction(async (sql) => {
        await sql.query('select count(*) from receipts');
        expect(await dropPartitions(db, 'receipts', midnight(Date.now() + 2 * DAY_MS))).toBe(
          'busy',
        );
      });
      expect(
        isLockTimeout(
          await db.sql
            .query("do $$ begin raise exception 'x' using errcode = '55P03'; end $$")
            .catch((error: unknown) => error),
        ),
      ).toBe(true);
      expect(await dropPartitions(db, 'receipts', midnight(Date.now() + 2 * DAY_MS))).toBe(2);
    } finally {
      await db.close();
    }
  });
});

test('rows that arrived long before the installation stay readable beside new ones', async () => {
  const db = await createOwnDatabase({ poolMax: 2 });
  try {
    const { applicationId, userId } = await newUserOfLongAgo(db.sql);
    const requests = await Promise.all(
      [1, 400, 0].map((daysAgo) =>
        requestOfLongAgo(db.sql, {
          applicationId,
          userId,
          at: new Date(Date.now() - daysAgo * DAY_MS),
        }),
      ),
    );

    const added = await storeEvent(db, { applicationId, userId, receivedAt: Date.now() + DAY_MS });

    for (const requestId of requests) {
      expect(await readIngestReport(db, applicationId, requestId)).toMatchObject({
        complete: true,
        messages: [{ index: 0, outcome: 'processed' }],
      });
    }
    const { events } = await listUserEvents(db, userId, { limit: 10 });
    expect(events.map(({ id }) => id).sort()).toEqual([...requests, added.messages[0]?.id].sort());
  } finally {
    await db.close();
  }
});

async function newUserOfLongAgo(sql: Sql) {
  const [applicationId, userId] = [systemIds.uuid(), systemIds.uuid()];
  await sql.query("insert into applications (id, name) values ($1, 'old')", [applicationId]);
  await sql.query('insert into users (id, application_id, registered_at) values ($1, $2, now())', [
    userId,
    applicationId,
  ]);
  await sql.query(
    "insert into definitions (application_id, slug, kind, name, origin) values ($1, 'viewd', 'action', 'viewed', 'predefined')",
    [applicationId],
  );
  return { applicationId, userId };
}

async function requestOfLongAgo(
  sql: Sql,
  {
    applicationId,
    userId,
    at,
  }: { readonly applicationId: string; readonly userId: string; readonly at: Date },
): Promise<string> {
  const requestId = systemIds.uuid();
  await sql.query(
    'insert into ingest_requests (request_id, application_id, received_at, message_count, taken_by_events) values ($1, $2, $3, 1, true)',
    [requestId, applicationId, at],
  );
  await sql.query(
    `insert into receipts (request_id, message_index, application_id, message_id, type, outcome, user_id, received_at) values ($1::uuid, 0, $2, $1::uuid::text, 'action', 'stored', $3, $4)`,
    [requestId, applicationId, userId, at],
  );
  await sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     values ($1::uuid, 0, $2, $3, $1::uuid::text, 'action', 'viewd', 1, $4)`,
    [requestId, applicationId, userId, at],
  );
  return requestId;
}

describe('reading over all partitions', () => {
  /**
   * Runs a reader's query, and returns the plan that Postgres uses when sequential scans are
   * disabled.
   */
  async function plansOf(read: (db: Database) => Promise<unknown>): Promise<string[]> {
    const plans: string[] = [];
    const query = async (text: string, values: unknown[] = []) => {
      await shared.transaction(async (sql) => {
        await sql.query('set local enable_seqscan = off');
        const { rows } = await sql.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      });
      return shared.sql.query(text, values);
    };
    await read({ ...shared, sql: { query: query as Sql['query'] } });
    return plans;
  }

  test('a report reads one partition of the receipts, by index', async () => {
    const { applicationId, userId } = await newUser(shared);
    const { requestId } = await storeEvent(shared, {
      applicationId,
      userId,
      receivedAt: Date.now() + DAY_MS,
    });

    const plans = await plansOf(async (db) =>
      expect(await readIngestReport(db, applicationId, requestId)).toMatchObject({
        complete: true,
      }),
    );

    expect(plans.join()).not.toMatch(/Seq Scan/);
    expect(new Set(plans.join().match(/\breceipts_(before|\d{8}) /g)).size).toBe(1);
  });

  test('a user’s events are found by index in each partition, newest first across them', async () => {
    const { applicationId, userId } = await newUser(shared);
    for (const months of [0, 1, 2, 3]) {
      const record = ingestRecord({
        applicationId,
        receivedAt: Date.now() + months * 28 * DAY_MS,
        messages: [actionMessage()],
      });
      await insertEvents(shared.sql, [{ record, index: 0, slug: 'viewd', userId, isProved: true }]);
    }

    const plans = await plansOf(async (db) =>
      expect((await listUserEvents(db, userId, { limit: 3 })).events).toHaveLength(3),
    );

    expect(plans.length).toBeGreaterThan(0);
    expect(plans.join()).not.toMatch(/Seq Scan on (events|definitions)/);
  });
});
