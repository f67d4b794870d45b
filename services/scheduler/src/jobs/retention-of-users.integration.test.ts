import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createApplication } from '@tidings/accounts/applications';
import { applyEventMessages } from '@tidings/events-consumer/apply-event-messages';
import { makePartitions } from '@tidings/events/retention/partitions';
import { takeRecords } from '@tidings/events/take-records';
import { identifyDevice, registerDevice } from '@tidings/people/devices/device-users';
import { purgeUnseenDevices, readDevice } from '@tidings/people/devices/devices';
import { systemClock, systemIds } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { actionMessage, createOwnDatabase, ingestRecord, untilBlockedBy } from '@tidings/testing';
import {
  DAY_MS,
  NOW,
  CUTOFF,
  pass,
  newUser,
  leaveTraces,
  arrivals,
} from '../testing/retention-pass.ts';

jest.setTimeout(30_000);

describe('unregistered users', () => {
  let db: Database;
  beforeAll(async () => {
    db = await createOwnDatabase();
    await makePartitions(db, new Date(NOW));
  });
  afterAll(() => db.close());

  test('are deleted with their ids, 30 days after their last activity', async () => {
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
    expect(await arrivals(db, 'events where user_id = $1', [known.visitor])).toHaveLength(1);
  });

  test('that a consumer has just resolved stay: the consumer is waited for', async () => {
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
        '(select e.received_at from events e join users u on u.id = e.user_id where e.application_id = $1) e where true',
        [applicationId],
      ),
    ).toEqual([NOW]);
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
