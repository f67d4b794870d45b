import { afterAll, describe, expect, test } from '@jest/globals';
import { insertDeadLetter } from '@tidings/events/dead-letters';
import { insertRejectedRequests } from '@tidings/events/rejected-requests';
import { systemIds } from '@tidings/platform';
import { actionMessage, connectTestDatabase, createFakeClock, userMessage } from '@tidings/testing';
import { LATER_MS, deletableTenant } from './testing/deletable-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const newTenant = () => deletableTenant(db);

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
