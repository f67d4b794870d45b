import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts';
import { insertDeadLetter } from '@tidings/events/dead-letters';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { insertRejectedRequests } from '@tidings/events/rejected-requests';
import { takeRecords } from '@tidings/events/take-records';
import { listUserEvents } from '@tidings/events/user-events';
import { readUser } from '@tidings/people/users';
import { systemClock, systemIds, type Clock } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import {
  actionMessage,
  applyRecords,
  connectTestDatabase,
  createFakeClock,
  createTestApplication,
  eventually,
  ingestRecord,
  untilBlockedBy,
  userMessage,
} from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from './apply-event-messages.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const LATER_MS = 60_000;

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  const record = (overrides: Partial<IngestRecord> = {}): IngestRecord =>
    ingestRecord({
      applicationId,
      customUserId: 'ada',
      messages: [userMessage({ email: 'ada@example.com' }), actionMessage()],
      ...overrides,
    });
  const applyUsers = (...records: readonly IngestRecord[]) =>
    applyRecords(db, { consumer: 'users', apply: applyUserMessages }, records);
  const applyEvents = (...records: readonly IngestRecord[]) =>
    applyRecords(db, { consumer: 'events', apply: applyEventMessages }, records);
  const count = async (from: string): Promise<number> => {
    const { rows } = await db.sql.query<{ n: string }>(
      `select count(*) as n from ${from} and application_id = $1`,
      [applicationId],
    );
    return Number(rows[0]?.n);
  };
  return {
    applicationId,
    record,
    applyUsers,
    applyEvents,
    count,
    async apply(...records: readonly IngestRecord[]): Promise<void> {
      await applyUsers(...records);
      await applyEvents(...records);
    },
    remove: (
      customUserId = 'ada',
      options: { readonly clock?: Clock; readonly rowsPerStep?: number } = {},
    ) => deleteUser(db, { applicationId, customUserId, clock: systemClock, ...options }),
    read: (customUserId = 'ada') => readUser(db, applicationId, customUserId),
    async eventIds(customUserId = 'ada'): Promise<string[]> {
      const user = await readUser(db, applicationId, customUserId);
      return user === null
        ? []
        : (await listUserEvents(db, user.userId, { limit: 100 })).events.map(({ id }) => id);
    },
    async outcomes({ requestId }: IngestRecord): Promise<string[]> {
      const report = await readIngestReport(db, applicationId, requestId);
      return (report?.messages ?? []).map(({ outcome, reason }) =>
        reason === undefined ? outcome : `${outcome} ${reason}`,
      );
    },
    /** All rows of users in this application. */
    async remains(): Promise<number> {
      const counts = await Promise.all(
        [
          'users where true',
          'user_identities where true',
          'events where true',
          'receipts where user_id is not null',
          'message_keys where service_user_id is not null',
          'dead_letters where true',
          'refused_requests where (custom_user_id is not null or service_user_id is not null)',
        ].map(count),
      );
      return counts.reduce((sum, n) => sum + n, 0);
    },
  };
}

describe('deleting a user', () => {
  test('deletes profile, ids and events of all its ids, and keeps those of others', async () => {
    const { record, apply, remove, remains, read, eventIds } = await newTenant();
    const [phone, laptop] = [systemIds.uuid(), systemIds.uuid()];
    const eve = actionMessage({ id: 'eve' });
    await apply(
      record({ customUserId: null, serviceUserId: phone }),
      record({ serviceUserId: phone }),
      record({ serviceUserId: laptop }),
      record(),
    );

    expect(await remove()).toBe(true);
    expect(await remains()).toBe(0);
    await apply(record({ customUserId: 'eve', messages: [userMessage(), eve] }));

    expect(await read()).toBeNull();
    expect(await eventIds('eve')).toEqual([eve.id]);
  });

  test('removes its serviceUserIds from keys that the previous version stored', async () => {
    const { applicationId, record, apply, remove, remains, count } = await newTenant();
    const phone = systemIds.uuid();
    await apply(record({ serviceUserId: phone }));
    await db.sql.query(
      `insert into message_keys (application_id, message_id, service_user_id, time, request_id, message_index, received_at)
       select $1, 'of before ' || time, $2, time, uuidv7(), 0, now() from generate_series(1, 20) as time`,
      [applicationId, phone],
    );

    expect(await remove('ada', { rowsPerStep: 7 })).toBe(true);

    expect(await remains()).toBe(0);
    expect(await count('message_keys where true')).toBe(20);
  });

  test.each([1, 2_000])(
    'removes the ids from rejected requests, also of users without any accepted one, by %d at a time',
    async (rowsPerStep) => {
      const { applicationId, record, apply, remove, remains, count } = await newTenant();
      const phone = systemIds.uuid();
      const reject = (
        user: { readonly customUserId?: string; readonly serviceUserId?: string },
        id = applicationId,
      ) =>
        insertRejectedRequests(db, [
          {
            requestId: systemIds.uuid(),
            applicationId: id,
            keyId: id,
            receivedAt: Date.now(),
            path: '/',
            status: 400,
            code: 'validation_failed',
            address: null,
            errors: [],
            unlisted: 0,
            customUserId: null,
            serviceUserId: null,
            ...user,
          },
        ]);
      await apply(
        record({ customUserId: null, serviceUserId: phone, messages: [actionMessage()] }),
        record({ serviceUserId: phone }),
      );
      for (const user of [
        { customUserId: 'ada' },
        { customUserId: 'ada' },
        { serviceUserId: phone },
        { customUserId: 'unseen' },
      ])
        await reject(user);
      await reject({ customUserId: 'ada' }, systemIds.uuid());

      expect(await remove('ada', { rowsPerStep })).toBe(true);

      expect(await count("refused_requests where custom_user_id = 'unseen'")).toBe(1);
      expect(await count('refused_requests where true')).toBe(4);
      expect(await remove('unseen', { rowsPerStep })).toBe(false);
      expect(await remains()).toBe(0);
      const { rowCount: ofOthers } = await db.sql.query(
        "select from refused_requests where custom_user_id = 'ada' and application_id <> $1",
        [applicationId],
      );
      expect(ofOthers).toBeGreaterThan(0);
    },
  );

  test('deletes held events of an unregistered user, and their receipts become dropped', async () => {
    const { record, applyEvents, remove, remains, outcomes } = await newTenant();
    const held = record({ messages: [actionMessage()] });
    await applyEvents(held);
    expect(await outcomes(held)).toEqual(['held unregistered_user']);

    expect(await remove()).toBe(true);

    expect(await remains()).toBe(0);
    expect(await outcomes(held)).toEqual(['dropped unregistered_user']);
  });

  test('keeps receipts of visible events as they were, including merged anonymous users and events past their retention', async () => {
    const { record, apply, remove, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const [past, present, expired] = [
      record({ customUserId: null, serviceUserId, messages: [actionMessage({ time: 1 })] }),
      record({ serviceUserId }),
      record({ messages: [actionMessage()] }),
    ];
    await apply(past, present, expired);
    await db.sql.query('delete from events where request_id = $1', [expired.requestId]);

    await remove();

    expect([await outcomes(past), await outcomes(present), await outcomes(expired)]).toEqual([
      ['processed'],
      ['processed', 'processed'],
      ['processed'],
    ]);
  });

  test('decides the order by the clock that stamps requests, not by the clock of Postgres', async () => {
    const { record, apply, remove, outcomes } = await newTenant();
    const clock = createFakeClock(Date.now() - 3_600_000);
    await apply(record({ receivedAt: clock.now() }));
    const [early, late] = [
      record({ receivedAt: clock.now() }),
      record({ receivedAt: clock.now() + 1 }),
    ];

    await remove('ada', { clock });
    await apply(early);
    await apply(late);

    expect(await outcomes(early)).toEqual([
      'dropped unregistered_user',
      'dropped unregistered_user',
    ]);
    expect(await outcomes(late)).toEqual(['processed', 'processed']);
  });

  test('runs in steps, however many events and message keys there are, and still detects repeated messages', async () => {
    const { record, apply, remove, remains, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const messages = Array.from({ length: 50 }, (_, index) => actionMessage({ time: index }));
    await apply(record({ serviceUserId, messages: [userMessage(), ...messages] }));
    const repeated = record({
      customUserId: 'eve',
      receivedAt: Date.now() + LATER_MS,
      messages: [userMessage(), ...messages.slice(0, 2)],
    });

    expect(await remove('ada', { rowsPerStep: 7 })).toBe(true);

    expect(await remains()).toBe(0);
    await apply(repeated);
    expect(await outcomes(repeated)).toEqual([
      'processed',
      'duplicate duplicate_id',
      'duplicate duplicate_id',
    ]);
  });

  test('returns false when no user has the id, or no longer', async () => {
    const { record, apply, remove } = await newTenant();
    expect(await remove()).toBe(false);
    await apply(record({ receivedAt: Date.now() + LATER_MS }));

    expect(await remove()).toBe(true);
    expect(await remove()).toBe(false);
  });

  test('affects only its application', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const serviceUserId = systemIds.uuid();
    for (const { apply, record } of [tenant, other]) await apply(record({ serviceUserId }));

    await tenant.remove();
    const later = other.record({ serviceUserId, messages: [actionMessage()] });
    await other.apply(later);

    expect(await other.outcomes(later)).toEqual(['processed']);
    expect(await other.eventIds()).toHaveLength(2);
  });

  test('deletes the dead letters of the user’s records, and only these', async () => {
    const { applicationId, record, applyEvents, remove, count } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const stored = record({ serviceUserId });
    await applyEvents(stored);
    const deadLetters: [string | null, string | null][] = [
      [`${applicationId}:ada`, null],
      [`${applicationId}:${serviceUserId}`, null],
      [null, stored.requestId],
      [`${applicationId}:eve`, null],
      [null, null],
    ];
    for (const [index, [key, requestId]] of deadLetters.entries()) {
      await db.transaction((sql) =>
        insertDeadLetter(sql, {
          id: systemIds.uuid(),
          consumer: 'users',
          applicationId,
          requestId,
          topic: `ingest ${applicationId}`,
          partition: 0,
          offset: BigInt(index),
          key: key === null ? null : Buffer.from(key),
          value: Buffer.from('{}'),
          headers: {},
          errorClass: 'unreadable',
          sqlState: null,
        }),
      );
    }

    await remove();

    expect(await count('dead_letters where true')).toBe(2);
  });

  test('stores no id in its tombstones', async () => {
    const { applicationId, record, apply, remove } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const customUserId = 'another user';
    await apply(record({ customUserId, serviceUserId }));

    await remove(customUserId);

    const { rows } = await db.sql.query<{ row: string }>(
      'select d::text as row from deleted_identities d where application_id = $1',
      [applicationId],
    );
    expect(rows).toHaveLength(2);
    expect(rows.map(({ row }) => row).join()).not.toMatch(
      new RegExp(`${customUserId}|${serviceUserId}|${serviceUserId.replaceAll('-', '')}`),
    );
  });
});

describe('a record accepted before its user was deleted', () => {
  test.each<[string, (serviceUserId: string) => Partial<IngestRecord>]>([
    ['by customUserId', () => ({})],
    ['by serviceUserId', (serviceUserId) => ({ customUserId: null, serviceUserId })],
    [
      'by a serviceUserId under another customUserId',
      (serviceUserId) => ({ customUserId: 'eve', serviceUserId }),
    ],
  ])('is dropped as a whole (%s), and recreates no user', async (_, ids) => {
    const { record, apply, remove, remains, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    await apply(record({ serviceUserId }));
    const late = record({
      ...ids(serviceUserId),
      messages: [userMessage(), actionMessage(), actionMessage({ type: 'businessEvent' })],
    });

    await remove();
    await apply(late);

    expect(await outcomes(late)).toEqual(
      Array.from({ length: 3 }, () => 'dropped unregistered_user'),
    );
    expect(await remains()).toBe(0);
  });

  test('uses up no id: the same message in a later record is processed', async () => {
    const { record, apply, remove, outcomes } = await newTenant();
    const messages = [userMessage({ id: 'm1' })];
    await apply(record());
    const early = record({ messages });
    const later = record({ messages, receivedAt: Date.now() + LATER_MS });

    await remove();
    await apply(early);
    await apply(later);

    expect(await outcomes(later)).toEqual(['processed']);
  });

  test('is dropped also when its user never existed', async () => {
    const { record, apply, remove, remains, outcomes } = await newTenant();
    const onItsWay = record();

    expect(await remove()).toBe(false);
    await apply(onItsWay);

    expect(await outcomes(onItsWay)).toEqual([
      'dropped unregistered_user',
      'dropped unregistered_user',
    ]);
    expect(await remains()).toBe(0);
  });
});

test('a record accepted later creates a new user, without anything of the old one', async () => {
  const { record, apply, remove, read, eventIds, outcomes } = await newTenant();
  const serviceUserId = systemIds.uuid();
  const old = record({ serviceUserId });
  await apply(old);
  const before = await read();
  const event = actionMessage();

  await remove();
  const later = record({
    serviceUserId,
    receivedAt: Date.now() + LATER_MS,
    messages: [userMessage({ city: 'London' }), event],
  });
  await apply(later);

  expect(await outcomes(later)).toEqual(['processed', 'processed']);
  expect(await read()).toMatchObject({
    serviceUserIds: [serviceUserId],
    profile: { city: 'London' },
  });
  expect((await read())?.profile).not.toHaveProperty('email');
  expect((await read())?.userId).not.toBe(before?.userId);
  expect(await eventIds()).toEqual([event.id]);
  expect(await outcomes(old)).toEqual(['processed', 'processed']);
});

describe('a consumer that is applying a record of the user', () => {
  const consumers = [
    ['users', applyUserMessages],
    ['events', applyEventMessages],
  ] as const;
  /** The consumer's transaction up to its commit, exclusive. */
  const applyIn = async (
    sql: Sql,
    [consumer, apply]: (typeof consumers)[number],
    sent: IngestRecord,
  ): Promise<void> => apply(sql, await takeRecords(sql, consumer, [sent]));

  test.each(consumers)(
    'is waited for, and what it wrote is deleted too (%s)',
    async (...consumer) => {
      const { record, apply, remove, remains } = await newTenant();
      await apply(record());

      const { removing } = await db.transaction(async (sql) => {
        await applyIn(sql, consumer, record({ serviceUserId: systemIds.uuid() }));
        const waiting = remove();
        await untilBlockedBy(db, sql);
        return { removing: waiting };
      });

      expect(await removing).toBe(true);
      expect(await remains()).toBe(0);
    },
  );

  test('is waited for after the many events are deleted: it waits for none of them', async () => {
    const { record, apply, remove, count, remains } = await newTenant();
    for (let batch = 0; batch < 3; batch += 1)
      await apply(record({ messages: Array.from({ length: 900 }, () => actionMessage()) }));

    const { removing } = await db.transaction(async (sql) => {
      await applyIn(sql, consumers[0], record());
      const waiting = remove();
      await eventually(async () => expect(await count('events where true')).toBe(0));
      await untilBlockedBy(db, sql);
      return { removing: waiting };
    });

    expect(await removing).toBe(true);
    expect(await remains()).toBe(0);
  });

  test('that adds more than one step is waited for, and what it added is deleted in steps again', async () => {
    const { record, apply, remove, remains } = await newTenant();
    const serviceUserId = systemIds.uuid();
    await apply(record({ serviceUserId }));

    const { removing } = await db.transaction(async (sql) => {
      await applyIn(
        sql,
        consumers[1],
        record({
          serviceUserId,
          messages: Array.from({ length: 20 }, (_, index) => actionMessage({ time: index })),
        }),
      );
      const waiting = remove('ada', { rowsPerStep: 5 });
      await untilBlockedBy(db, sql);
      return { removing: waiting };
    });

    expect(await removing).toBe(true);
    expect(await remains()).toBe(0);
  });

  test.each(consumers)(
    'waits for a deletion that came first, and then drops the record (%s)',
    async (...consumer) => {
      const { applicationId, record, apply, remains, outcomes } = await newTenant();
      await apply(record());
      const sent = record();

      // The statements of the deletion, held open before its commit.
      const { applying } = await db.transaction(async (sql) => {
        await deleteUser(
          { ...db, transaction: (work) => work(sql) },
          { applicationId, customUserId: 'ada', clock: systemClock },
        );
        const waiting = applyRecords(db, { consumer: consumer[0], apply: consumer[1] }, [sent]);
        await untilBlockedBy(db, sql);
        return { applying: waiting };
      });
      await applying;

      expect((await outcomes(sent)).filter((outcome) => outcome !== 'pending')).toEqual([
        'dropped unregistered_user',
      ]);
      expect(await remains()).toBe(0);
    },
  );

  test('of another application is not waited for', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    await tenant.apply(tenant.record());

    await db.transaction(async (sql) => {
      await applyIn(sql, consumers[0], other.record());
      expect(await tenant.remove()).toBe(true);
    });
  });

  test('and occasional deletions, many times concurrently, leave nothing from before the last deletion', async () => {
    const { record, applyUsers, applyEvents, remove, remains } = await newTenant();
    const serviceUserIds = Array.from({ length: 4 }, () => systemIds.uuid());
    const sent = Array.from({ length: 60 }, (_, index) =>
      record({
        customUserId: index % 4 === 0 ? null : 'ada',
        serviceUserId:
          index % 3 === 0 && index % 4 !== 0 ? null : (serviceUserIds[index % 4] ?? null),
      }),
    );

    await Promise.all([
      ...sent.map((item) => applyUsers(item)),
      ...sent.map((item) => applyEvents(item)),
      ...Array.from({ length: 5 }, () => remove()),
    ]);
    await applyUsers(
      record({
        customUserId: 'ada',
        serviceUserId: serviceUserIds[0] ?? null,
        receivedAt: Date.now() + LATER_MS,
        messages: [userMessage()],
      }),
    );
    for (const serviceUserId of serviceUserIds)
      await applyUsers(
        record({ serviceUserId, receivedAt: Date.now() + LATER_MS, messages: [userMessage()] }),
      );
    await remove();

    expect(await remains()).toBe(0);
  }, 60_000);
});
