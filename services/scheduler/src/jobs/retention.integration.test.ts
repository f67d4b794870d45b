import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createApplication } from '@tidings/accounts/applications';
import { openAuditEntry } from '@tidings/accounts/audit-log';
import { applyEventMessages } from '@tidings/events-consumer/apply-event-messages';
import { insertDeadLetter } from '@tidings/events/dead-letters';
import { readDefinitionUsage } from '@tidings/events/definitions/usage';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { writeReceipts } from '@tidings/events/receipts';
import { makePartitions } from '@tidings/events/retention/partitions';
import { takeRecords } from '@tidings/events/take-records';
import { identifyDevice, registerDevice } from '@tidings/people/devices/device-users';
import { purgeUnseenDevices, readDevice } from '@tidings/people/devices/devices';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock, systemIds } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import {
  actionMessage,
  createOwnDatabase,
  createRecordingLogger,
  eventually,
  ingestRecord,
  untilBlockedBy,
} from '@tidings/testing';
import { createPass } from '../job.ts';
import { retention, runRetention, type RetentionSettings } from './retention.ts';

jest.setTimeout(30_000);

const DAY_MS = 86_400_000;
/** Far enough ahead that other days have their own partitions. */
const NOW = Date.now() + 45 * DAY_MS;
const CUTOFF = NOW - 30 * DAY_MS;
/** Start of the first day that is kept completely. */
const KEPT_FROM = Math.floor(CUTOFF / DAY_MS) * DAY_MS;
const { logger, lines } = createRecordingLogger();

const SETTINGS: RetentionSettings = {
  retentionDays: 30,
  eventRetentionDays: 0,
  deviceRetentionDays: 180,
  chartRetentionDays: 0,
  auditRetentionDays: 0,
};
const BOUND = { itemsPerStep: 7, stepsMax: Infinity };

const pass = (db: Database, settings: Partial<RetentionSettings> = {}) =>
  runRetention({
    ...createPass(BOUND, { db, logger, clock: systemClock, signal: new AbortController().signal }),
    nowMs: NOW,
    settings: { ...SETTINGS, ...settings },
  });

async function newUser(
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

/** Two arrivals a day over 44 days, each with all rows that a request leaves. */
const ARRIVALS = Array.from({ length: 88 }, (_, index) => NOW - index * (DAY_MS / 2) - 1);

async function leaveTraces(
  db: Database,
  {
    applicationId,
    userId,
    at,
  }: { readonly applicationId: string; readonly userId: string | null; readonly at: number },
): Promise<void> {
  const [requestId, arrival] = [systemIds.uuid(), new Date(at)];
  await db.sql.query(
    'insert into ingest_requests (request_id, application_id, received_at, message_count, taken_by_events) values ($1, $2, $3, 1, true)',
    [requestId, applicationId, arrival],
  );
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

async function arrivals(
  db: Database,
  table: string,
  where: string,
  values: readonly unknown[] = [],
): Promise<number[]> {
  const { rows } = await db.sql.query<{ received_at: Date }>(
    `select received_at from ${table} where ${where} order by received_at desc`,
    [...values],
  );
  return rows.map((row) => row.received_at.getTime());
}

const since = (at: number): number[] => ARRIVALS.filter((arrival) => arrival >= at);

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
      for (const userId of [...Object.values(users), null])
        await leaveTraces(db, { applicationId: keeper, userId, at });
      await leaveTraces(db, { applicationId: shortRetention, userId: null, at });
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
      const left = await arrivals(db, 'receipts', 'application_id = $1', [shortRetention]);
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
          '(select created_at as received_at, state from webhook_deliveries) d',
          'state = $1',
          [state],
        ),
      ).toEqual(since(CUTOFF));
    }
  });

  test('keeps every duplicate key, rejected request and tombstone for 30 days, and none longer', async () => {
    expect(await arrivals(db, 'message_keys', 'application_id = $1', [shortRetention])).toEqual(
      since(CUTOFF),
    );
    for (const prefix of ['', 'other ']) {
      const key = `duplicate_key($1::uuid || ':server:${prefix}' || request_id)`;
      expect(await arrivals(db, 'duplicate_keys', `id_key = ${key}`, [shortRetention])).toEqual(
        since(CUTOFF),
      );
    }
    expect(await arrivals(db, 'refused_requests', 'true')).toEqual(since(CUTOFF));
    expect(
      await arrivals(db, '(select deleted_at as received_at from deleted_identities) d', 'true'),
    ).toEqual(since(CUTOFF));
    expect(since(CUTOFF).length).toBeLessThan(ARRIVALS.length);
  });

  test('keeps requests and receipts for 30 days, then drops them by the day', async () => {
    expect(await arrivals(db, 'ingest_requests', 'application_id = $1', [shortRetention])).toEqual(
      since(KEPT_FROM),
    );
    expect(await arrivals(db, 'receipts', 'application_id = $1', [shortRetention])).toEqual(
      since(KEPT_FROM),
    );
    expect(KEPT_FROM).toBeLessThanOrEqual(CUTOFF);
  });

  test('keeps events for ever, except those of unregistered users', async () => {
    const eventsOf = (userId: string) => arrivals(db, 'events', 'user_id = $1', [userId]);

    expect(await eventsOf(users.registered)).toEqual(ARRIVALS);
    expect(await eventsOf(users.merged)).toEqual(ARRIVALS);
    expect(
      await arrivals(db, 'events', 'application_id = $1 and user_id is null', [keeper]),
    ).toEqual(ARRIVALS);
    expect(await eventsOf(users.unregistered)).toEqual(since(KEPT_FROM));
  });

  test('keeps events of an application for the time that it sets', async () => {
    expect(await arrivals(db, 'events', 'application_id = $1', [shortRetention])).toEqual(
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
    expect(await arrivals(db, 'receipts', 'received_at < $1', [new Date(KEPT_FROM)])).toHaveLength(
      1,
    );
    await pass(db);

    expect(await arrivals(db, 'receipts', 'received_at < $1', [new Date(KEPT_FROM)])).toEqual([]);
    expect(await arrivals(db, 'events', 'user_id = $1', [users.unregistered])).toEqual(
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

    await pass(db, { eventRetentionDays: 20 });

    const cutoff = new Date(NOW - 20 * DAY_MS);
    const kept = since(Date.UTC(cutoff.getUTCFullYear(), cutoff.getUTCMonth(), 1));
    expect(await arrivals(db, 'events', 'user_id = $1', [users.registered])).toEqual(kept);
    expect(await arrivals(db, 'events', 'application_id = $1', [shortRetention])).toEqual(
      since(NOW - 10 * DAY_MS),
    );
    expect((await db.sql.query('select * from deleted_rows')).rows).toEqual([]);
  });

  test('with an application’s own retention deletes only its rows', async () => {
    await updateApplication(db, shortRetention, { settings: { eventRetentionDays: 5 } });

    await pass(db, { eventRetentionDays: 20 });

    expect(await arrivals(db, 'events', 'application_id = $1', [shortRetention])).toEqual(
      since(NOW - 5 * DAY_MS),
    );
    const { rows } = await db.sql.query<{ application_id: string }>(
      'select distinct application_id from deleted_rows',
    );
    expect(rows).toEqual([{ application_id: shortRetention }]);
  });
});

describe('on a separate database', () => {
  let db: Database;
  beforeAll(async () => {
    db = await createOwnDatabase();
    await makePartitions(db, new Date(NOW));
  });
  afterAll(() => db.close());

  test('dead letters are deleted 30 days after they were written; a replaying one, 30 days after the request', async () => {
    const deadLetters = ['waiting', 'replayed', 'discarded', 'replaying'].flatMap((status) =>
      [CUTOFF - 1, CUTOFF].flatMap((createdAt) =>
        [CUTOFF - 1, CUTOFF].map((updatedAt) => ({
          status,
          createdAt,
          updatedAt,
          id: systemIds.uuid(),
        })),
      ),
    );
    for (const [offset, { status, createdAt, updatedAt, id }] of deadLetters.entries()) {
      await insertDeadLetter(db.sql, {
        id,
        consumer: 'events',
        applicationId: null,
        requestId: null,
        topic: 'some',
        partition: 0,
        offset: BigInt(offset),
        key: null,
        value: Buffer.from('x'),
        headers: {},
        errorClass: 'unreadable',
        sqlState: null,
      });
      await db.sql.query(
        'update dead_letters set status = $2, created_at = $3, updated_at = $4 where id = $1',
        [id, status, new Date(createdAt), new Date(updatedAt)],
      );
    }

    await pass(db);

    const kept = deadLetters.filter(
      ({ status, createdAt, updatedAt }) =>
        createdAt === CUTOFF || (status === 'replaying' && updatedAt === CUTOFF),
    );
    const { rows } = await db.sql.query<{ id: string }>('select id from dead_letters');
    expect(rows.map(({ id }) => id).sort()).toEqual(kept.map(({ id }) => id).sort());
    expect(kept.length).toBe(9);
  });

  test('unregistered users are deleted with their ids, 30 days after their last activity', async () => {
    const { applicationId } = await createApplication(db, 'has visitors');
    const person = await newUser(db, applicationId, true);
    const known = {
      person,
      quiet: await newUser(db, applicationId, false),
      visitor: await newUser(db, applicationId, false),
      young: await newUser(db, applicationId, false),
      past: await newUser(db, applicationId, false),
    };
    const many = await Promise.all(
      Array.from({ length: 20 }, () => newUser(db, applicationId, false)),
    );
    for (const id of [...Object.values(known), ...many])
      await db.sql.query(
        'insert into user_identities (application_id, service_user_id, user_id) values ($1, $2, $2)',
        [applicationId, id],
      );
    await db.sql.query('update users set updated_at = $2 where application_id = $1', [
      applicationId,
      new Date(CUTOFF - 1),
    ]);
    await db.sql.query('update users set updated_at = $2 where id = $1', [
      known.young,
      new Date(CUTOFF),
    ]);
    await db.sql.query('update users set merged_into = $2 where id = $1', [known.past, person]);
    await leaveTraces(db, { applicationId, userId: known.visitor, at: CUTOFF + DAY_MS });

    await pass(db);

    const left = [known.person, known.visitor, known.young, known.past].sort();
    const idsOf = async (sql: string) =>
      (await db.sql.query<{ id: string }>(sql, [applicationId])).rows.map(({ id }) => id);
    expect(await idsOf('select id from users where application_id = $1 order by id')).toEqual(left);
    expect(
      await idsOf(
        'select service_user_id as id from user_identities where application_id = $1 order by 1',
      ),
    ).toEqual(left);
    expect(await arrivals(db, 'events', 'user_id = $1', [known.visitor])).toHaveLength(1);
  });

  test('a consumer that has just resolved such a user is waited for, and the user stays', async () => {
    const { applicationId } = await createApplication(db, 'has a visitor');
    const serviceUserId = systemIds.uuid();
    const record = (receivedAt: number) =>
      ingestRecord({
        applicationId,
        customUserId: null,
        serviceUserId,
        receivedAt,
        messages: [actionMessage()],
      });
    const visit = async (sql: Sql, receivedAt: number) => {
      const sent = record(receivedAt);
      await takeRecords(sql, 'events', [sent]);
      await applyEventMessages(sql, [sent]);
    };
    await db.transaction((sql) => visit(sql, CUTOFF - 40 * DAY_MS));
    await db.sql.query('update users set updated_at = $2 where application_id = $1', [
      applicationId,
      new Date(CUTOFF - 1),
    ]);
    await db.sql.query('delete from events where application_id = $1', [applicationId]);

    const { passing } = await db.transaction(async (sql) => {
      await visit(sql, NOW);
      const waiting = pass(db);
      await untilBlockedBy(db, sql);
      return { passing: waiting };
    });
    await passing;

    expect(
      await arrivals(
        db,
        '(select e.received_at from events e join users u on u.id = e.user_id where e.application_id = $1) e',
        'true',
        [applicationId],
      ),
    ).toEqual([NOW]);
  });

  test('a partition that is being read is left for the next pass, and other transactions wait only briefly', async () => {
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
        await arrivals(db, 'receipts', 'received_at < $1', [new Date(KEPT_FROM)]),
      ).toHaveLength(1);
      expect(lines.at(-1)).toMatchObject({
        level: 'warn',
        table: 'receipts',
        msg: expect.stringContaining('old partitions not dropped'),
      });
    });
    await pass(db);

    expect(await arrivals(db, 'receipts', 'received_at < $1', [new Date(KEPT_FROM)])).toEqual([]);
    expect(longestMs).toBeLessThan(2_000);
  });
});

test('unidentified devices not seen for 180 days are deleted, then their users; identified ones stay while they have an address', async () => {
  const db = await createOwnDatabase();
  try {
    const { applicationId } = await createApplication(db, 'test');
    const register = (deviceId: string) =>
      registerDevice(db, systemClock, {
        applicationId,
        deviceId,
        customUserId: null,
        facts: { kind: 'none', address: null },
      });
    const old = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'known', 'known, without an address'];
    for (const deviceId of [...old, 'recent']) await register(deviceId);
    for (const deviceId of ['known', 'known, without an address'])
      await identifyDevice(db, systemClock, { applicationId, deviceId, customUserId: 'ada' });
    await db.sql.query(`update devices set address = 'somewhere' where device_id = 'known'`);
    await db.sql.query('update users set updated_at = $1', [new Date(NOW - 200 * DAY_MS)]);
    await db.sql.query('update devices set seen_at = $1', [new Date(NOW - 179 * DAY_MS)]);
    await db.sql.query('update devices set seen_at = $1 where device_id = any($2)', [
      new Date(NOW - 181 * DAY_MS),
      old,
    ]);

    expect(
      await db.transaction((sql) =>
        purgeUnseenDevices(sql, { before: new Date(NOW - 180 * DAY_MS), limit: 3 }),
      ),
    ).toBe(3);
    await pass(db);

    const { rows } = await db.sql.query<{ device_id: string }>(
      'select device_id from devices order by device_id',
    );
    expect(rows).toEqual([{ device_id: 'known' }, { device_id: 'recent' }]);
    // A device whose user must be deleted would no longer be one.
    for (const { device_id: deviceId } of rows)
      expect(await readDevice(db.sql, { applicationId, deviceId })).not.toBeNull();
    const users = await db.sql.query('select 1 from users where merged_into is null');
    expect(users.rowCount).toBe(1);
  } finally {
    await db.close();
  }
});

describe('data that grows with time and not with requests', () => {
  let db: Database;
  beforeAll(async () => {
    db = await createOwnDatabase();
  });
  afterAll(() => db.close());

  test('hours and quarter hours past their retention are rolled up into one row per definition and currency, with the same totals', async () => {
    const { applicationId } = await createApplication(db, 'has sold');
    const [from, days] = [NOW - 800 * DAY_MS, 100];
    await db.sql.query(
      "insert into definitions (application_id, slug, kind, name, origin) values ($1, 'sold1', 'revenue', 'sold', 'predefined')",
      [applicationId],
    );
    await db.sql.query(
      `insert into definition_hours (application_id, slug, hour, currency, backend, events, revenue, last_received_at)
       select $1, 'sold1', $2::timestamptz + n * interval '1 day', currency, backend, 2, 0.1, $2::timestamptz + n * interval '1 day'
       from generate_series(0, $3 - 1) as n, unnest(array['EUR', 'USD']) as currency, unnest(array[0, 7]) as backend`,
      [applicationId, new Date(from), days],
    );
    await db.sql.query(
      `insert into event_quarters (application_id, slug, quarter, currency, backend, events, revenue) select application_id, slug, hour, currency, backend, events, revenue from definition_hours where application_id = $1
       union all select $1, 'sold1', 'infinity', 'EUR', backend, 1, 1 from unnest(array[7, 8]) as backend`,
      [applicationId],
    );
    const quarters = async () =>
      (
        await db.sql.query<{ quarter: string; n: number; events: number }>(
          `select min(quarter)::text as quarter, count(*)::int as n, sum(events)::int as events from event_quarters where application_id = $1 and backend = 0`,
          [applicationId],
        )
      ).rows[0];
    const hours = async () =>
      (
        await db.sql.query<{ hour: string; n: number }>(
          `select min(hour)::text as hour, count(*)::int as n from definition_hours where application_id = $1 and backend = 0`,
          [applicationId],
        )
      ).rows[0];
    const lastAt = from + (days - 1) * DAY_MS;
    const usage = { events: 2 * 2 * 2 * days, eventsLastDay: 0, lastReceivedAt: lastAt };

    await pass(db, { chartRetentionDays: 730 });

    // 70 of the days are past it; each currency leaves one row.
    expect(await hours()).toEqual({ hour: '-infinity', n: 2 * (1 + 30) });
    expect(await quarters()).toEqual({
      quarter: '-infinity',
      n: 2 * (1 + 30) + 1,
      events: 2 * 2 * 2 * days + 2,
    });
    expect((await readDefinitionUsage(db.sql, applicationId)).get('sold1')).toEqual(usage);
    const { rows } = await db.sql.query(
      'select currency, events::int, revenue from definition_hours where application_id = $1 and hour = $2 order by 1',
      [applicationId, '-infinity'],
    );
    expect(rows).toEqual(
      ['EUR', 'USD'].map((currency) => ({ currency, events: 2 * 2 * 70, revenue: '14.0' })),
    );

    await pass(db, { chartRetentionDays: 700 });
    expect(await hours()).toEqual({ hour: '-infinity', n: 2 });
    expect((await readDefinitionUsage(db.sql, applicationId)).get('sold1')).toEqual(usage);
  });

  test('audit log entries are deleted after their retention, and cannot be deleted or changed otherwise', async () => {
    const write = async (ageDays: number) => {
      const id = systemIds.uuid();
      await openAuditEntry(db, {
        id,
        at: NOW - ageDays * DAY_MS,
        actor: 'token:test',
        address: null,
        applicationId: null,
        action: 'POST keys',
        target: {},
        detail: {},
        requestId: id,
      });
      return id;
    };
    for (let entry = 0; entry < 20; entry += 1) await write(731 + entry);
    const kept = [await write(729), await write(31), await write(0)];
    const left = async () =>
      (await db.sql.query<{ id: string }>('select id from audit_entries order by at')).rows.map(
        ({ id }) => id,
      );

    await pass(db, { auditRetentionDays: 0 });
    expect(await left()).toHaveLength(23);
    await pass(db, { auditRetentionDays: 730 });

    expect(await left()).toEqual(kept);
    await expect(db.sql.query('delete from audit_entries')).rejects.toThrow(
      'never changed, nor deleted',
    );
    await expect(db.sql.query(`update audit_entries set actor = 'unknown'`)).rejects.toThrow(
      'never changed',
    );
    expect(await left()).toEqual(kept);
  });

  test('the audit retention cannot be shorter than the database allows', () => {
    const jobWith = (auditRetentionDays: number) =>
      retention({ ...SETTINGS, retentionIntervalMs: 100, auditRetentionDays });

    for (const auditRetentionDays of [1, 29])
      expect(() => jobWith(auditRetentionDays)).toThrow('AUDIT_RETENTION_DAYS');
    for (const auditRetentionDays of [0, 30, 730])
      expect(() => jobWith(auditRetentionDays)).not.toThrow();
  });
});
