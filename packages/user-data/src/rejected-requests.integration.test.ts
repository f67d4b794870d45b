import { afterAll, expect, test } from '@jest/globals';
import { insertRejectedRequests } from '@tidings/events/rejected-requests';
import { refusal, storedRefusals } from '@tidings/events/testing/rejections';
import { systemIds } from '@tidings/platform';
import {
  connectTestDatabase,
  createFakeClock,
  createTestApplication,
  registerUsers,
  untilBlockedBy,
} from '@tidings/testing';
import { deleteUser } from './delete-user.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

test('of somebody who was deleted since an entry names nobody; of one who came after that it does', async () => {
  const { applicationId } = await createTestApplication(db);
  const serviceUserId = systemIds.uuid();
  await createUserWith(applicationId, serviceUserId);
  const clock = createFakeClock();
  const [before, after] = [clock.now(), clock.now() + 1];

  await deleteUser(db, { applicationId, customUserId: 'ada', clock });
  await insertRejectedRequests(db, [
    refusal(applicationId, { path: '/1', receivedAt: before, customUserId: 'ada' }),
    refusal(applicationId, { path: '/2', receivedAt: before, serviceUserId }),
    refusal(applicationId, { path: '/3', receivedAt: before, customUserId: 'eve' }),
    refusal(applicationId, { path: '/4', receivedAt: after, customUserId: 'ada' }),
  ]);

  expect(await storedRefusals(db, applicationId)).toMatchObject([
    { custom_user_id: null, service_user_id: null },
    { custom_user_id: null, service_user_id: null },
    { custom_user_id: 'eve' },
    { custom_user_id: 'ada' },
  ]);
});

test('an entry that comes while its user is being deleted waits for that, and names nobody', async () => {
  const { applicationId } = await createTestApplication(db);
  await createUserWith(applicationId, systemIds.uuid());
  const clock = createFakeClock();
  const entry = refusal(applicationId, { receivedAt: clock.now(), customUserId: 'ada' });

  // The deletion's own statements, held open before its commit.
  const { inserting } = await db.transaction(async (sql) => {
    await deleteUser(
      { ...db, transaction: (work) => work(sql) },
      { applicationId, customUserId: 'ada', clock },
    );
    const waiting = insertRejectedRequests(db, [entry]);
    await untilBlockedBy(db, sql);
    return { inserting: waiting };
  });
  await inserting;

  expect(await storedRefusals(db, applicationId)).toMatchObject([{ custom_user_id: null }]);
});

test('a deletion waits for an entry that is being written, and takes the user out of it', async () => {
  const { applicationId } = await createTestApplication(db);
  await createUserWith(applicationId, systemIds.uuid());
  const clock = createFakeClock();
  const entry = refusal(applicationId, { receivedAt: clock.now(), customUserId: 'ada' });

  const { deleting } = await db.transaction(async (sql) => {
    await insertRejectedRequests({ transaction: (work) => work(sql) }, [entry]);
    const waiting = deleteUser(db, { applicationId, customUserId: 'ada', clock });
    await untilBlockedBy(db, sql);
    return { deleting: waiting };
  });
  await deleting;

  expect(await storedRefusals(db, applicationId)).toMatchObject([{ custom_user_id: null }]);
});

async function createUserWith(applicationId: string, serviceUserId: string): Promise<void> {
  await registerUsers(db, applicationId, { ada: {} });
  await db.sql.query(
    'insert into user_identities (application_id, service_user_id, user_id) select $1, $2, id from users where application_id = $1',
    [applicationId, serviceUserId],
  );
}
