import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createApplication } from '@tidings/accounts/applications';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { writeReceipts } from '@tidings/events/receipts';
import { makePartitions } from '@tidings/events/retention/partitions';
import { takeRecords } from '@tidings/events/take-records';
import { updateApplication } from '@tidings/people/update-application';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { actionMessage, createOwnDatabase, eventually, ingestRecord } from '@tidings/testing';
import {
  DAY_MS,
  NOW,
  CUTOFF,
  KEPT_FROM,
  pass,
  newUser,
  leaveTraces,
  arrivals,
  lines,
} from '../testing/retention-pass.ts';

jest.setTimeout(30_000);

/** Two arrivals a day over 44 days, each with all rows that a request leaves. */
const ARRIVALS = Array.from({ length: 88 }, (_, index) => NOW - index * (DAY_MS / 2) - 1);
const since = (at: number): number[] => ARRIVALS.filter((arrival) => arrival >= at);
/** Every other arrival, where the event is visible. */
const isDerivedAt = (at: number): boolean => ARRIVALS.indexOf(at) % 2 === 1;

describe('a pass over 44 days of traffic', () => {
  let db: Database;
  let keeper = '';
  let shortRetention = '';
  const users = { registered: '', unregistered: '', merged: '' };
  const young: string[] = [];

  beforeAll(async () => {
    db = await createOwnDatabase();
    await makePartitions(db, new Date(NOW));
    keeper = (await createApplication(db, 'keeps events for ever')).applicationId;
    shortRetention = (await createApplication(db, 'keeps events for ten days')).applicationId;
    await updateApplication(db, shortRetention, { settings: { eventRetentionDays: 10 } });
    users.registered = await newUser(db, keeper, true);
    users.unregistered = await newUser(db, keeper, false);
    users.merged = await newUser(db, keeper, false);
    await db.sql.query('update users set merged_into = $1 where id = $2', [
      users.registered,
      users.merged,
    ]);
    for (const at of ARRIVALS) {
      const isDerived = isDerivedAt(at);
      for (const userId of [users.registered, users.merged, null])
        await leaveTraces(db, { applicationId: keeper, userId, at, isDerived });
      await leaveTraces(db, { applicationId: keeper, userId: users.unregistered, at });
      await leaveTraces(db, { applicationId: shortRetention, userId: null, at, isDerived });
      await db.sql.query(
        `insert into refused_requests (request_id, application_id, received_at, path, status, code, key_id) values ($1, $2, $3, '/', 400, 'x', $1)`,
        [systemIds.uuid(), keeper, new Date(at)],
      );
      await db.sql.query(
        'insert into deleted_identities (application_id, id_hash, deleted_at) values ($1, $2, $3)',
        [keeper, Buffer.from(String(at)), new Date(at)],
      );
      await db.sql.query(
        `insert into webhook_deliveries (endpoint_id, application_id, event_id, type, occurred_at, data, state, created_at)
         select $1, $1, 'evt_1', 'message.sent', $2, '{}', state, $2 from unnest(array['pending', 'succeeded']) as state`,
        [keeper, new Date(at)],
      );
    }

    // All at once, like replicas, beside a writer.
    const stopping = new AbortController();
    const writing = (async () => {
      while (!stopping.signal.aborted) {
        const record = ingestRecord({
          applicationId: keeper,
          receivedAt: NOW,
          messages: [actionMessage()],
        });
        await db.transaction(async (sql) => {
          await takeRecords(sql, 'events', [record]);
          await writeReceipts(sql, [{ record, receipts: [{ outcome: 'processed' }] }]);
        });
        young.push(record.requestId);
      }
    })();
    await eventually(async () => {
      await Promise.all(Array.from({ length: 3 }, () => pass(db)));
      const left = await arrivals(db, 'ingest_requests where application_id = $1', [
        shortRetention,
      ]);
      if (left.length > since(KEPT_FROM).length || young.length < 10)
        throw new Error('not done yet');
    });
    stopping.abort();
    await writing;
    await pass(db);
  }, 60_000);
  afterAll(() => db.close());

  test('keeps the webhook delivery log for 30 days and no longer, not even what was never sent', async () => {
    for (const state of ['pending', 'succeeded']) {
      expect(
        await arrivals(
          db,
          '(select created_at as received_at, state from webhook_deliveries) d where state = $1',
          [state],
        ),
      ).toEqual(since(CUTOFF));
    }
  });

  test('keeps every duplicate key, rejected request and tombstone for 30 days, and none longer', async () => {
    expect(await arrivals(db, 'message_keys where application_id = $1', [shortRetention])).toEqual(
      since(CUTOFF),
    );
    for (const prefix of ['', 'other ']) {
      const key = `duplicate_key($1::uuid || ':server:${prefix}' || request_id)`;
      expect(await arrivals(db, `duplicate_keys where id_key = ${key}`, [shortRetention])).toEqual(
        since(CUTOFF),
      );
    }
    expect(await arrivals(db, 'refused_requests where true')).toEqual(since(CUTOFF));
    expect(
      await arrivals(db, '(select deleted_at as received_at from deleted_identities) d where true'),
    ).toEqual(since(CUTOFF));
    expect(since(CUTOFF).length).toBeLessThan(ARRIVALS.length);
  });

  test('keeps requests and receipts for 30 days, then drops them by the day', async () => {
    expect(
      await arrivals(db, 'ingest_requests where application_id = $1', [shortRetention]),
    ).toEqual(since(KEPT_FROM));
    expect(await arrivals(db, 'receipts where user_id = $1', [users.unregistered])).toEqual(
      since(KEPT_FROM),
    );
    expect(KEPT_FROM).toBeLessThanOrEqual(CUTOFF);
  });

  test('writes derived receipts of events that an application keeps for a shorter time, for 30 days', async () => {
    const { rows: requests } = await db.sql.query<{ id: string }>(
      'select request_id as id from ingest_requests where application_id = $1',
      [shortRetention],
    );

    expect(await arrivals(db, 'receipts where application_id = $1', [shortRetention])).toEqual(
      since(KEPT_FROM).filter((at) => !isDerivedAt(at) || at < NOW - 10 * DAY_MS),
    );
    expect(requests).toHaveLength(since(KEPT_FROM).length);
    for (const { id } of requests)
      expect(await readIngestReport(db, shortRetention, id)).toMatchObject({
        complete: true,
        messages: [{ id, outcome: 'processed' }],
      });
  });

  test('keeps events for ever, except those of unregistered users', async () => {
    const eventsOf = (userId: string) => arrivals(db, 'events where user_id = $1', [userId]);

    expect(await eventsOf(users.registered)).toEqual(ARRIVALS);
    expect(await eventsOf(users.merged)).toEqual(ARRIVALS);
    expect(
      await arrivals(db, 'events where application_id = $1 and user_id is null', [keeper]),
    ).toEqual(ARRIVALS);
    expect(await eventsOf(users.unregistered)).toEqual(since(KEPT_FROM));
  });

  test('keeps events of an application for the time that it sets', async () => {
    expect(await arrivals(db, 'events where application_id = $1', [shortRetention])).toEqual(
      since(NOW - 10 * DAY_MS),
    );
  });

  test('loses nothing that is written meanwhile', async () => {
    const { rows } = await db.sql.query<{ id: string }>(
      'select request_id as id from ingest_requests where received_at = $1',
      [new Date(NOW)],
    );

    expect(rows.map(({ id }) => id).sort()).toEqual([...young].sort());
    expect(await readIngestReport(db, keeper, young[0] ?? '')).toMatchObject({ complete: true });
  });

  test('changes nothing the next time, and keeps a partition for very late records', async () => {
    const partitions = async () =>
      (
        await db.sql.query(
          "select name from partitions_of('receipts') union all select name from partitions_of('ingest_requests') order by 1",
        )
      ).rows;
    const before = await partitions();

    await pass(db);
    expect(await partitions()).toEqual(before);
    await leaveTraces(db, {
      applicationId: keeper,
      userId: users.unregistered,
      at: NOW - 100 * DAY_MS,
    });
    expect(
      await arrivals(db, 'receipts where received_at < $1', [new Date(KEPT_FROM)]),
    ).toHaveLength(1);
    await pass(db);

    expect(await arrivals(db, 'receipts where received_at < $1', [new Date(KEPT_FROM)])).toEqual(
      [],
    );
    expect(await arrivals(db, 'events where user_id = $1', [users.unregistered])).toEqual(
      since(KEPT_FROM),
    );
    expect(await partitions()).toEqual(before);
  });

  test('with an installation-wide retention drops whole older months, and deletes no single row for it', async () => {
    await db.sql.query('create table deleted_rows (application_id uuid)');
    await db.sql.query(
      'create function note_deleted() returns trigger language plpgsql as $$ begin insert into deleted_rows values (old.application_id); return null; end $$',
    );
    await db.sql.query(
      'create trigger note_deleted after delete on events for each row execute function note_deleted()',
    );

    await pass(db, { eventRetentionDays: 30 });

    const cutoff = new Date(CUTOFF);
    const kept = since(Date.UTC(cutoff.getUTCFullYear(), cutoff.getUTCMonth(), 1));
    expect(await arrivals(db, 'events where user_id = $1', [users.registered])).toEqual(kept);
    expect(await arrivals(db, 'events where application_id = $1', [shortRetention])).toEqual(
      since(NOW - 10 * DAY_MS),
    );
    expect((await db.sql.query('select * from deleted_rows')).rows).toEqual([]);
  });

  test('with an application’s own retention deletes only its rows', async () => {
    await updateApplication(db, shortRetention, { settings: { eventRetentionDays: 5 } });

    await pass(db, { eventRetentionDays: 30 });

    expect(await arrivals(db, 'events where application_id = $1', [shortRetention])).toEqual(
      since(NOW - 5 * DAY_MS),
    );
    const { rows } = await db.sql.query<{ application_id: string }>(
      'select distinct application_id from deleted_rows',
    );
    expect(rows).toEqual([{ application_id: shortRetention }]);
  });
});

describe('a partition', () => {
  let db: Database;
  beforeAll(async () => {
    db = await createOwnDatabase();
    await makePartitions(db, new Date(NOW));
  });
  afterAll(() => db.close());

  test('that is being read is left for the next pass, and other transactions wait only briefly', async () => {
    const { applicationId } = await createApplication(db, 'reads');
    await leaveTraces(db, { applicationId, userId: null, at: CUTOFF - 2 * DAY_MS });
    let longestMs = 0;

    await db.transaction(async (sql) => {
      await sql.query('select count(*) from receipts');
      const passing = pass(db);
      for (let write = 0; write < 20; write += 1) {
        const startedAt = performance.now();
        await leaveTraces(db, { applicationId, userId: null, at: NOW });
        longestMs = Math.max(longestMs, performance.now() - startedAt);
      }
      await passing;
      expect(
        await arrivals(db, 'receipts where received_at < $1', [new Date(KEPT_FROM)]),
      ).toHaveLength(1);
      expect(lines.at(-1)).toMatchObject({
        level: 'warn',
        table: 'receipts',
        msg: expect.stringContaining('old partitions not dropped'),
      });
    });
    await pass(db);

    expect(await arrivals(db, 'receipts where received_at < $1', [new Date(KEPT_FROM)])).toEqual(
      [],
    );
    expect(longestMs).toBeLessThan(2_000);
  });
});

test('events stay while their requests cannot be dropped', async () => {
  const db = await createOwnDatabase();
  try {
    const { applicationId } = await createApplication(db, 'reads requests');
    const at = Date.now();
    await leaveTraces(db, { applicationId, userId: null, at, isDerived: true });
    const events = () => arrivals(db, 'events where application_id = $1', [applicationId]);
    // The month of the event has ended 30 days ago.
    const later = at + 62 * DAY_MS;

    await db.transaction(async (sql) => {
      await sql.query('select count(*) from ingest_requests');
      await pass(db, { eventRetentionDays: 30 }, later);
      expect(await events()).toEqual([at]);
    });
    await pass(db, { eventRetentionDays: 30 }, later);

    expect(await events()).toEqual([]);
  } finally {
    await db.close();
  }
});
