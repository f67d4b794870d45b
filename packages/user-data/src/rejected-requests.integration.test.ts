import { afterAll, expect, test } from '@jest/globals';
import { insertRejectedRequests } from '@tidings/events/rejected-requests';
import { rejection, storedRejections } from '@tidings/events/testing/rejections';
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

test('an entry of a user deleted since names no user; one of a user who came later does', async () => {
  const { applicationId } = await createTestApplication(db);
  const serviceUserId = systemIds.uuid();
  await createUserWith(applicationId, serviceUserId);
  const clock = createFakeClock();
  const [before, after] = [clock.now(), clock.now() + 1];

  await deleteUser(db, { applicationId, customUserId: 'ada', clock });
  await insertRejectedRequests(db, [
    rejection(applicationId, { path: '/1', receivedAt: before, customUserId: 'ada' }),
    rejection(applicationId, { path: '/2', receivedAt: before, serviceUserId }),
    rejection(applicationId, { path: '/3', receivedAt: before, customUserId: 'eve' }),
    rejection(applicationId, { path: '/4', receivedAt: after, customUserId: 'ada' }),
  ]);

  expect(await storedRejections(db, applicationId)).toMatchObject([
    { custom_user_id: null, service_user_id: null },
    { custom_user_id: null, service_user_id: null },
    { custom_user_id: 'eve' },
    { custom_user_id: 'ada' },
  ]);
});

test('an entry written during the deletion of its user waits, and names no user', async () => {
  const { applicationId } = await createTestApplication(db);
  await createUserWith(applicationId, systemIds.uuid());
  const clock = createFakeClock();
  const entry = rejection(applicationId, { receivedAt: clock.now(), customUserId: 'ada' });

  // The statements of the deletion, held open before its commit.
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

  expect(await storedRejections(db, applicationId)).toMatchObject([{ custom_user_id: null }]);
});

test('a deletion waits for an entry that is being written, and removes the user from it', async () => {
  const { applicationId } = await createTestApplication(db);
  await createUserWith(applicationId, systemIds.uuid());
  const clock = createFakeClock();
  const entry = rejection(applicationId, { receivedAt: clock.now(), customUserId: 'ada' });

  const { deleting } = await db.transaction(async (sql) => {
    await insertRejectedRequests({ transaction: (work) => work(sql) }, [entry]);
    const waiting = deleteUser(db, { applicationId, customUserId: 'ada', clock });
    await untilBlockedBy(db, sql);
    return { deleting: waiting };
  });
  await deleting;

  expect(await storedRejections(db, applicationId)).toMatchObject([{ custom_user_id: null }]);
});

async function createUserWith(applicationId: string, serviceUserId: string): Promise<void> {
  await registerUsers(db, applicationId, { ada: {} });
  await db.sql.query(
    'insert into user_identities (application_id, service_user_id, user_id) select $1, $2, id from users where application_id = $1',
    [applicationId, serviceUserId],
  );
}
