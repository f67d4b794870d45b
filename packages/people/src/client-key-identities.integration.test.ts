import { afterAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { systemClock, systemIds } from '@tidings/platform';
import { connectTestDatabase } from '@tidings/testing';
import { updateApplication } from './update-application.ts';
import { identifyDevice, logOutDevice, registerDevice } from './devices/device-users.ts';
import type { Identity } from './identity.ts';
import { createTenant, userOf, type Ids } from './testing/identified-tenant.ts';

const db = connectTestDatabase({ poolMax: 10 });
afterAll(() => db.close());
const newTenant = () => createTenant(db);

/** Records of a Client key: they cannot join a serviceUserId to a person. */
describe('a Client key', () => {
  const client = (ids: Ids): Ids => ({ keyType: 'client', ...ids });
  const persons = async (tenant: Awaited<ReturnType<typeof newTenant>>) => {
    const [serviceUserId, others, anonymous] = [
      systemIds.uuid(),
      systemIds.uuid(),
      systemIds.uuid(),
    ];
    const [ada] = await tenant.resolve(
      { customUserId: 'ada', serviceUserId },
      { customUserId: 'eve', serviceUserId: others },
      { serviceUserId: anonymous },
    );
    return { ada: userOf(ada), serviceUserId, others, anonymous };
  };

  test.each<[string, (known: Awaited<ReturnType<typeof persons>>) => Ids, Partial<Identity>]>([
    ['a customUserId alone', () => ({ customUserId: 'ada' }), { isProved: false }],
    [
      'a serviceUserId of the person alone',
      ({ serviceUserId }) => ({ serviceUserId }),
      { isProved: true },
    ],
    [
      'both, joined by a Server key',
      ({ serviceUserId }) => ({ customUserId: 'ada', serviceUserId }),
      { isProved: true },
    ],
    [
      'both, the serviceUserId unknown',
      () => ({ customUserId: 'ada', serviceUserId: systemIds.uuid() }),
      { isProved: false, remark: 'identity_unproved' },
    ],
    [
      'both, the serviceUserId of an anonymous user',
      ({ anonymous }) => ({ customUserId: 'ada', serviceUserId: anonymous }),
      { isProved: false, remark: 'identity_unproved' },
    ],
    [
      'both, the serviceUserId of another person',
      ({ others }) => ({ customUserId: 'ada', serviceUserId: others }),
      { isProved: false, reason: 'identity_conflict' },
    ],
  ])('with %s names the person and joins nothing', async (_, idsOf, expected) => {
    const tenant = await newTenant();
    const known = await persons(tenant);
    await tenant.register('ada');
    const before = await tenant.read('ada');

    expect(await tenant.resolve(client(idsOf(known)))).toEqual([
      { userId: known.ada, isRegistered: true, ...expected },
    ]);

    expect((await tenant.read('ada'))?.serviceUserIds).toEqual(before?.serviceUserIds);
    expect(await tenant.resolve({ serviceUserId: known.anonymous })).not.toEqual([
      expect.objectContaining({ userId: known.ada }),
    ]);
  });

  test('with a serviceUserId alone names its anonymous user, unproved', async () => {
    const { resolve } = await newTenant();
    const serviceUserId = systemIds.uuid();

    const [first, again] = [
      await resolve(client({ serviceUserId })),
      await resolve(client({ serviceUserId })),
    ];

    expect(first).toEqual([{ userId: expect.any(String), isProved: false, isRegistered: false }]);
    expect(again).toEqual(first);
  });

  test('with a serviceUserId that a user token proved joins it, also for the preceding batch', async () => {
    const tenant = await newTenant();
    const serviceUserId = systemIds.uuid();
    const [anonymous] = await tenant.resolve(client({ serviceUserId }));

    const [proof, after] = await tenant.resolve(
      { ...client({ customUserId: 'ada', serviceUserId }), userProof: 'token' },
      client({ customUserId: 'ada', serviceUserId }),
    );

    expect(after).toEqual({ userId: userOf(proof), isProved: true, isRegistered: false });
    expect(proof).toEqual({ ...after, anonymousId: userOf(anonymous) });
    expect(await tenant.rootOf(anonymous)).toBe(userOf(proof));
  });

  test('joins ids where the application accepts a bare customUserId', async () => {
    const tenant = await newTenant();
    await updateApplication(db, tenant.applicationId, { settings: { userTokens: 'optional' } });
    const serviceUserId = systemIds.uuid();

    const identities = await tenant.resolve(
      client({ customUserId: 'ada', serviceUserId }),
      client({ serviceUserId }),
      client({ customUserId: 'ada' }),
    );

    expect(identities.map((identity) => identity?.isProved)).toEqual([true, true, true]);
    expect(new Set(identities.map(userOf)).size).toBe(1);
  });
});

describe('serviceUserIds that Client keys join to a person', () => {
  const FACTS = { kind: 'none', address: null } as const;
  const MAX = LIMITS.clientServiceUserIdsMax;
  const countJoined = async (applicationId: string): Promise<number> => {
    const { rows } = await db.sql.query<{ n: number }>(
      'select count(*)::int as n from user_identities where application_id = $1 and by_client_key',
      [applicationId],
    );
    return rows[0]?.n ?? 0;
  };

  test('are bounded, also with concurrent proofs by devices; every device stays reachable', async () => {
    const { applicationId, register, read } = await newTenant();
    await register('ada');

    const devices = await Promise.all(
      Array.from({ length: MAX + 5 }, (_, index) =>
        registerDevice(db, systemClock, {
          applicationId,
          deviceId: `d${index}`,
          facts: FACTS,
          customUserId: 'ada',
        }),
      ),
    );

    expect(new Set(devices.map(({ customUserId }) => customUserId))).toEqual(new Set(['ada']));
    expect(devices.filter(({ joinedTo }) => joinedTo === 'ada')).toHaveLength(MAX);
    expect(await countJoined(applicationId)).toBe(MAX);
    // Plus the one that the service assigned.
    expect((await read('ada'))?.serviceUserIds).toHaveLength(MAX + 1);
  }, 60_000);

  /**
   * A device that proved `ada` with a bare customUserId after the limit was reached. So its
   * serviceUserId is not joined.
   */
  const unjoinedDevice = async ({
    applicationId,
    resolve,
  }: Awaited<ReturnType<typeof newTenant>>) => {
    const [person] = await resolve({ customUserId: 'ada' });
    await db.sql.query(
      'insert into user_identities (application_id, service_user_id, user_id, by_client_key) select $1, uuidv7(), $2, true from generate_series(1, $3)',
      [applicationId, userOf(person), MAX],
    );
    const device = await registerDevice(db, systemClock, {
      applicationId,
      deviceId: 'shared',
      facts: FACTS,
      customUserId: 'ada',
    });
    return { ada: userOf(person), ref: { applicationId, deviceId: 'shared' }, device };
  };

  test('do not count when a user token proved the person: every sign-in joins its id, and later messages are proved', async () => {
    const { applicationId, resolve, register } = await newTenant();
    const ada = await register('ada');
    const ref = { applicationId, deviceId: 'own' };
    await registerDevice(db, systemClock, { ...ref, facts: FACTS, customUserId: null });

    for (let signIn = 0; signIn < MAX + 10; signIn += 1) {
      const device = await identifyDevice(db, systemClock, {
        ...ref,
        customUserId: 'ada',
        isByUserToken: true,
      });
      const sent = await resolve({
        keyType: 'client',
        customUserId: 'ada',
        serviceUserId: device?.serviceUserId ?? '',
      });
      expect([signIn, device?.joinedTo, ...sent]).toEqual([
        signIn,
        'ada',
        { userId: ada, isProved: true, isRegistered: true },
      ]);
      await logOutDevice(db, systemClock, ref);
    }

    expect(await countJoined(applicationId)).toBe(0);
  }, 60_000);

  test('above the limit are not joined for a device without a token; its messages are proved while its proof is valid', async () => {
    const tenant = await newTenant();
    const { ada, ref, device } = await unjoinedDevice(tenant);
    const sent = {
      keyType: 'client',
      customUserId: 'ada',
      serviceUserId: device.serviceUserId,
    } as const;

    expect(device).toMatchObject({ customUserId: 'ada', joinedTo: null });
    expect(await tenant.resolve(sent)).toEqual([
      { userId: ada, isProved: true, isRegistered: false },
    ]);
    expect(await tenant.resolve({ ...sent, customUserId: 'eve' })).toMatchObject([
      { isProved: false, remark: 'identity_unproved' },
    ]);
    expect(await countJoined(tenant.applicationId)).toBe(MAX);

    await logOutDevice(db, systemClock, ref);
    expect(await tenant.resolve(sent)).toEqual([
      { userId: ada, isProved: false, isRegistered: false, remark: 'identity_unproved' },
    ]);
  });

  test('above the limit stay separate from the next person who uses the device', async () => {
    const tenant = await newTenant();
    const { ref, device } = await unjoinedDevice(tenant);

    const next = await identifyDevice(db, systemClock, {
      ...ref,
      customUserId: 'eve',
      isByUserToken: true,
    });

    expect(next).toMatchObject({ customUserId: 'eve', joinedTo: 'eve' });
    expect(next?.serviceUserId).not.toBe(device.serviceUserId);
    expect(await tenant.resolve({ serviceUserId: device.serviceUserId })).not.toEqual([
      expect.objectContaining({ userId: next?.userId }),
    ]);
  });

  test('above the limit are ignored: messages count for the customUserId, and those of a Server key still join', async () => {
    const { applicationId, resolve } = await newTenant();
    await updateApplication(db, applicationId, { settings: { userTokens: 'optional' } });
    const ids = Array.from({ length: MAX + 2 }, () => ({
      customUserId: 'ada',
      serviceUserId: systemIds.uuid(),
    }));

    const identities = await resolve(...ids.map((own) => ({ ...own, keyType: 'client' as const })));

    expect(identities.filter((identity) => identity?.remark === undefined)).toHaveLength(MAX);
    expect(new Set(identities.map(userOf)).size).toBe(1);
    const [last] = ids.slice(-1);
    expect(identities.at(-1)).toMatchObject({ isProved: true, remark: 'identity_unproved' });
    expect(await resolve({ ...last, keyType: 'client' })).toMatchObject([
      { remark: 'identity_unproved' },
    ]);
    expect(await resolve({ ...last })).toEqual([
      { userId: userOf(identities[0]), isProved: true, isRegistered: false },
    ]);
    expect(await resolve({ ...last, keyType: 'client' })).toEqual([
      { userId: userOf(identities[0]), isProved: true, isRegistered: false },
    ]);
  });
});
