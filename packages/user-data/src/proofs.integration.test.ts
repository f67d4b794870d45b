import { afterAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { leaseMessages } from '@tidings/delivery/inbox';
import { identifyDevice, logOutDevice, registerDevice } from '@tidings/people/devices/device-users';
import { listUserDevices, readDevice } from '@tidings/people/devices/devices';
import { readDeviceKinds } from '@tidings/people/devices/device-kinds';
import {
  giveAsOlderVersion,
  writeAsOlderVersion,
} from '@tidings/people/devices/testing/assign-as-older-version';
import { createTenant, userOf } from '@tidings/people/testing/identified-tenant';
import { systemClock, systemIds } from '@tidings/platform';
import { connectTestDatabase } from '@tidings/testing';
import { deleteUser } from './delete-user.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

/** A push device that proved the person `ada`. */
async function provedDevice() {
  const tenant = await createTenant(db);
  const ada = await tenant.register('ada');
  const ref = { applicationId: tenant.applicationId, deviceId: 'shared' };
  const facts = {
    kind: 'fcm',
    address: { text: systemIds.uuid(), identity: systemIds.uuid() },
  } as const;
  await registerDevice(db, systemClock, {
    ...ref,
    facts,
    customUserId: 'ada',
    isByUserToken: true,
  });
  return {
    ...tenant,
    ada,
    ref,
    registerAgain: (customUserId: string | null = null) =>
      registerDevice(db, systemClock, { ...ref, facts, customUserId }),
    /** A new anonymous user. */
    newUser: async () => userOf((await tenant.resolve({ serviceUserId: systemIds.uuid() }))[0]),
    /**
     * Whether the device gets what belongs to the person: messages, pushes, and a place in the list
     * of devices.
     */
    async reach() {
      const [answer] = await leaseMessages(
        db,
        [{ ...ref, channel: null, stream: systemIds.uuid(), messagesMax: 1 }],
        { leaseMs: 0 },
      );
      return {
        messages: answer?.userId === ada,
        pushes: (await readDeviceKinds(db.sql, ada)).length > 0,
        isListed: (await listUserDevices(db, ada)).some(
          ({ customUserId }) => customUserId === 'ada',
        ),
        isProved: (await readDevice(db.sql, ref))?.customUserId === 'ada',
      };
    },
  };
}

const ALL = { messages: true, pushes: true, isListed: true, isProved: true };
const NONE = { messages: false, pushes: false, isListed: false, isProved: false };

describe('a proof', () => {
  test.each([
    ['logs the device out', giveAsOlderVersion],
    ['registers the device for another user', writeAsOlderVersion],
  ])('ends when a version without proofs %s', async (_, write) => {
    const { ref, newUser, reach, registerAgain } = await provedDevice();
    expect(await reach()).toEqual(ALL);

    await write(db.sql, { ...ref, userId: await newUser() });

    expect(await reach()).toMatchObject(NONE);
    await registerAgain();
    expect(await reach()).toEqual(NONE);
    await identifyDevice(db, systemClock, { ...ref, customUserId: 'ada', isByUserToken: true });
    expect(await reach()).toEqual(ALL);
  });

  test('that ended so no longer counts for messages with both ids', async () => {
    const { ref, newUser, resolve, ada } = await provedDevice();
    await giveAsOlderVersion(db.sql, { ...ref, userId: await newUser() });
    const { serviceUserId = '' } = (await readDevice(db.sql, ref)) ?? {};

    expect(await resolve({ keyType: 'client', customUserId: 'ada', serviceUserId })).toEqual([
      { userId: ada, isProved: false, isRegistered: true, remark: 'identity_unproved' },
    ]);
  });

  test('that ended so keeps the device for its next user when the person is deleted', async () => {
    const { ref, newUser, applicationId } = await provedDevice();
    await giveAsOlderVersion(db.sql, { ...ref, userId: await newUser() });

    await deleteUser(db, {
      applicationId,
      customUserId: 'ada',
      clock: { ...systemClock, now: () => Date.now() + 1_000 },
    });

    expect(await readDevice(db.sql, ref)).toMatchObject({ customUserId: null });
  });

  test('stays when a version without proofs registers the device for the same user', async () => {
    const { ref, reach } = await provedDevice();
    const { rows } = await db.sql.query<{ user_id: string }>(
      'select user_id from devices where application_id = $1 and device_id = $2',
      [ref.applicationId, ref.deviceId],
    );

    await writeAsOlderVersion(db.sql, { ...ref, userId: rows[0]?.user_id ?? '' });

    // Without an address now.
    expect(await reach()).toEqual({ ...ALL, pushes: false });
  });

  test.each(['identifies', 'registers'])(
    'stays when the device %s again, with a new serviceUserId because a Server key joined its own to another person',
    async (how) => {
      const { ref, ada, reach, resolve, registerAgain } = await provedDevice();
      await logOutDevice(db, systemClock, ref);
      await db.sql.query(
        'insert into user_identities (application_id, service_user_id, user_id, by_client_key) select $1, uuidv7(), $2, true from generate_series(1, $3)',
        [ref.applicationId, ada, LIMITS.clientServiceUserIdsMax],
      );
      const before = await identifyDevice(db, systemClock, { ...ref, customUserId: 'ada' });
      await resolve({ customUserId: 'eve', serviceUserId: before?.serviceUserId ?? '' });
      expect(await readDevice(db.sql, ref)).toMatchObject({ customUserId: 'ada', joinedTo: 'eve' });

      if (how === 'identifies')
        await identifyDevice(db, systemClock, { ...ref, customUserId: 'ada' });
      else await registerAgain('ada');

      expect((await readDevice(db.sql, ref))?.serviceUserId).not.toBe(before?.serviceUserId);
      expect(await reach()).toEqual(ALL);
    },
  );
});
