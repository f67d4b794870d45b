import { afterAll, expect, test } from '@jest/globals';
import { systemClock, systemIds } from '@tidings/platform';
import { changesOf, connectPublicTestDatabase, connectTestDatabase } from '@tidings/testing';
import { REGISTERED, setListens } from '@tidings/user-changes/listens';
import { createTenant } from '../testing/identified-tenant.ts';
import { identifyDevice, logOutDevice, registerDevice } from './device-users.ts';

const db = connectTestDatabase();
/** Devices are written by the services that face the internet. */
const publicDb = connectPublicTestDatabase();
afterAll(() => Promise.all([db.close(), publicDb.close()]));

/** An anonymous device, and the registered person `ada`. */
async function anonymousDevice(...names: readonly string[]) {
  const { applicationId, register } = await createTenant(db);
  await setListens(db.sql, applicationId, names);
  const ada = await register('ada');
  const ref = { applicationId, deviceId: 'phone' };
  const address = { text: systemIds.uuid(), identity: systemIds.uuid() };
  const facts = { kind: 'fcm', address } as const;
  await registerDevice(publicDb, systemClock, { ...ref, facts, customUserId: null });
  const { rows } = await db.sql.query<{ id: string }>(
    'select user_id as id from devices where application_id = $1',
    [applicationId],
  );
  return { ref, facts, ada, visitor: rows[0]?.id ?? 'none' };
}
const IDENTIFIED = { customUserId: 'ada', isByUserToken: true };

test('a device that is identified joins its visitor to the person: one change', async () => {
  const { ref, ada, visitor } = await anonymousDevice(REGISTERED);

  await identifyDevice(publicDb, systemClock, { ...ref, ...IDENTIFIED });
  await identifyDevice(publicDb, systemClock, { ...ref, ...IDENTIFIED });
  await logOutDevice(publicDb, systemClock, ref);

  expect(await changesOf(db, ada)).toEqual([{ kind: 'merged', userId: ada, anonymousId: visitor }]);
  expect(await changesOf(db, visitor)).toEqual([]);
});

test('so does one that is registered again with its person', async () => {
  const { ref, facts, ada, visitor } = await anonymousDevice(REGISTERED);

  await registerDevice(publicDb, systemClock, { ...ref, facts, ...IDENTIFIED });

  expect(await changesOf(db, ada)).toEqual([{ kind: 'merged', userId: ada, anonymousId: visitor }]);
});

test('where nothing listens it is no change', async () => {
  const { ref, ada } = await anonymousDevice();

  await identifyDevice(publicDb, systemClock, { ...ref, ...IDENTIFIED });

  expect(await changesOf(db, ada)).toEqual([]);
});
