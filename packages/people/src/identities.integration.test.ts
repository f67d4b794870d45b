import { afterAll, describe, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, transactUntilDone, untilBlockedBy } from '@tidings/testing';
import { applyUserUpdates } from './profiles.ts';
import { createTenant, userOf, userUpdate } from './testing/identified-tenant.ts';

const CONNECTIONS = 50;
const db = connectTestDatabase({ poolMax: CONNECTIONS });
afterAll(() => db.close());

const newTenant = () => createTenant(db);

describe('a user', () => {
  test('is one person per application, in any request', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];

    const [first] = await tenant.resolve({ customUserId: 'ada' });
    const [again] = await tenant.resolve({ customUserId: 'ada' });
    const [elsewhere] = await other.resolve({ customUserId: 'ada' });

    expect(userOf(again)).toBe(userOf(first));
    expect(userOf(elsewhere)).not.toBe(userOf(first));
  });

  test('has a customUserId that is case-sensitive and not trimmed', async () => {
    const { resolve } = await newTenant();

    const users = await resolve(
      { customUserId: 'ada' },
      { customUserId: 'Ada' },
      { customUserId: ' ada' },
    );

    expect(new Set(users.map(userOf)).size).toBe(3);
  });

  test('gets a serviceUserId when first seen without one, and only then', async () => {
    const { resolve, register, read } = await newTenant();

    await resolve({ customUserId: 'ada' }, { customUserId: 'ada' });
    await resolve({ customUserId: 'ada' });
    await register('ada');

    expect((await read('ada'))?.serviceUserIds).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  test('keeps the serviceUserId it came with and gets no other', async () => {
    const { resolve, register, read } = await newTenant();
    const serviceUserId = systemIds.uuid();

    await resolve({ customUserId: 'ada' }, { customUserId: 'ada', serviceUserId });
    await register('ada');

    expect((await read('ada'))?.serviceUserIds).toEqual([serviceUserId]);
  });

  test('gets one serviceUserId although another id of its batch was resolved twice', async () => {
    const { resolve, resolveIn, register, read } = await newTenant();
    const serviceUserId = systemIds.uuid();

    const { blocked } = await db.transaction(async (sql) => {
      await resolveIn(sql, { serviceUserId });
      const waiting = resolve(
        { customUserId: 'ada' },
        { serviceUserId },
        { customUserId: 'eve', serviceUserId },
      );
      await untilBlockedBy(db, sql);
      return { blocked: waiting };
    });
    await blocked;
    await register('ada');
    await register('eve');

    expect((await read('ada'))?.serviceUserIds).toHaveLength(1);
    expect((await read('eve'))?.serviceUserIds).toEqual([serviceUserId]);
  });

  test('is found by each of its serviceUserIds', async () => {
    const { resolve, register, read } = await newTenant();
    const [phone, laptop] = [systemIds.uuid(), systemIds.uuid()];

    const [first] = await resolve({ customUserId: 'ada', serviceUserId: phone });
    const [second] = await resolve({ customUserId: 'ada', serviceUserId: laptop });
    const [byPhone, byLaptop] = await resolve({ serviceUserId: phone }, { serviceUserId: laptop });
    await register('ada');

    expect([second, byPhone, byLaptop].map(userOf)).toEqual([first, first, first].map(userOf));
    expect((await read('ada'))?.serviceUserIds).toEqual([phone, laptop]);
  });

  test('is null for a record without ids', async () => {
    const { resolve, countUsers } = await newTenant();

    expect(await resolve({})).toEqual([{ userId: null, isProved: true, isRegistered: false }]);
    expect(await countUsers()).toBe(0);
  });

  test.each([
    ['an empty customUserId', { customUserId: '' }, 'empty_user_id'],
    [
      'an empty customUserId beside a serviceUserId',
      { customUserId: '', serviceUserId: systemIds.uuid() },
      'empty_user_id',
    ],
    ['a malformed serviceUserId', { serviceUserId: 'not-a-uuid' }, 'invalid_service_user_id'],
    [
      'an empty serviceUserId',
      { customUserId: 'ada', serviceUserId: '' },
      'invalid_service_user_id',
    ],
  ])('is not created for %s', async (_, ids, reason) => {
    const { resolve, countUsers } = await newTenant();

    expect(await resolve(ids)).toEqual([
      { reason, userId: null, isProved: false, isRegistered: false },
    ]);
    expect(await countUsers()).toBe(0);
  });

  test('is not registered by an update with its serviceUserId alone', async () => {
    const { resolve, read } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const [user] = await resolve({ customUserId: 'ada', serviceUserId });

    await transactUntilDone(db, (sql) =>
      applyUserUpdates(sql, [userUpdate(userOf(user), { update: { firstName: 'Ada' } })]),
    );
    expect(await read('ada')).toBeNull();
    await transactUntilDone(db, (sql) =>
      applyUserUpdates(sql, [userUpdate(userOf(user), { registers: true })]),
    );

    expect((await read('ada'))?.profile).toMatchObject({ firstName: 'Ada' });
  });
});

describe('an anonymous user', () => {
  test('becomes the person whose customUserId is sent with its serviceUserId, profile included', async () => {
    const { resolve, register, read } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const [anonymous] = await resolve({ serviceUserId });
    await transactUntilDone(db, (sql) =>
      applyUserUpdates(sql, [
        userUpdate(userOf(anonymous), {
          time: 5,
          update: {
            firstName: 'Anonymous',
            city: 'Paris',
            customAttributes: { constructor: null },
          },
        }),
      ]),
    );
    const ada = await register('ada', { time: 9, update: { firstName: 'Ada' } });

    const [merged] = await resolve({ customUserId: 'ada', serviceUserId });
    const [after] = await resolve({ serviceUserId });

    expect([userOf(merged), userOf(after)]).toEqual([ada, ada]);
    expect((await read('ada'))?.profile).toEqual({
      firstName: 'Ada',
      city: 'Paris',
      customAttributes: {},
    });
    expect((await read('ada'))?.serviceUserIds).toContain(serviceUserId);
  });

  test('becomes a person within one batch, and no other person afterwards', async () => {
    const { resolve, rootOf } = await newTenant();
    const serviceUserId = systemIds.uuid();

    const [anonymous, ada, eve, again] = await resolve(
      { serviceUserId },
      { customUserId: 'ada', serviceUserId },
      { customUserId: 'eve', serviceUserId },
      { serviceUserId },
    );

    expect(await rootOf(anonymous)).toBe(userOf(ada));
    expect(eve).toEqual({
      reason: 'identity_conflict',
      userId: expect.any(String),
      isProved: false,
      isRegistered: false,
    });
    expect(eve?.userId).not.toBe(userOf(ada));
    expect(userOf(again)).toBe(userOf(ada));
  });

  test('may be one of several of the same person', async () => {
    const { resolve, register, read, rootOf } = await newTenant();
    const [phone, laptop] = [systemIds.uuid(), systemIds.uuid()];
    const anonymous = await resolve({ serviceUserId: phone }, { serviceUserId: laptop });

    await resolve(
      { customUserId: 'ada', serviceUserId: phone },
      { customUserId: 'ada', serviceUserId: laptop },
    );
    const ada = await register('ada');

    expect([await rootOf(anonymous[0]), await rootOf(anonymous[1])]).toEqual([ada, ada]);
    expect(new Set((await read('ada'))?.serviceUserIds)).toEqual(new Set([phone, laptop]));
  });

  test('that is merged while an update is in flight keeps the update', async () => {
    const { resolve, resolveIn, register, read } = await newTenant();
    const serviceUserId = systemIds.uuid();
    await resolve({ serviceUserId });
    await register('ada');

    await db.transaction(async (sql) => {
      const [anonymous] = await resolveIn(sql, { serviceUserId });
      await resolve({ customUserId: 'ada', serviceUserId });
      await applyUserUpdates(sql, [userUpdate(userOf(anonymous), { update: { city: 'Paris' } })]);
    });

    expect((await read('ada'))?.profile).toMatchObject({ city: 'Paris' });
  });

  test('is merged after the uncommitted update of another transaction, with that update', async () => {
    const { resolve, resolveIn, register, read } = await newTenant();
    const serviceUserId = systemIds.uuid();
    await resolve({ serviceUserId });
    await register('ada');

    const merging = await db.transaction(async (sql) => {
      const [anonymous] = await resolveIn(sql, { serviceUserId });
      await applyUserUpdates(sql, [userUpdate(userOf(anonymous), { update: { city: 'Paris' } })]);
      const blocked = resolve({ customUserId: 'ada', serviceUserId });
      await untilBlockedBy(db, sql);
      return { blocked };
    });
    await merging.blocked;

    expect((await read('ada'))?.profile).toMatchObject({ city: 'Paris' });
  });
});

test('a transaction that waits for a person holds no lock on users merged into it; two such would deadlock', async () => {
  const { resolve } = await newTenant();
  const person = userOf((await resolve({ customUserId: 'ada' }))[0]);
  let serviceUserId = '';
  let device = '';
  // Ids created in one millisecond may sort either way.
  while (device < person)
    device = userOf((await resolve({ serviceUserId: (serviceUserId = systemIds.uuid()) }))[0]);
  await resolve({ customUserId: 'ada', serviceUserId });

  const { waiting } = await db.transaction(async (sql) => {
    await sql.query('select 1 from users where id = $1 for update', [person]);
    const waiting = transactUntilDone(db, (other) => applyUserUpdates(other, [userUpdate(device)]));
    await untilBlockedBy(db, sql);
    await db.sql.query('select 1 from users where id = $1 for update nowait', [device]);
    return { waiting };
  });

  expect(await waiting).toEqual({ skipped: [null], persons: [] });
});

describe('a serviceUserId that belongs to another user with a customUserId', () => {
  test('is a conflict and changes nothing', async () => {
    const { resolve, register, read } = await newTenant();
    const serviceUserId = systemIds.uuid();
    await resolve({ customUserId: 'ada', serviceUserId });
    await register('ada');

    const [conflict] = await resolve({ customUserId: 'eve', serviceUserId });
    const [still] = await resolve({ serviceUserId });
    const eve = await register('eve');

    expect(conflict).toEqual({
      reason: 'identity_conflict',
      userId: eve,
      isProved: false,
      isRegistered: false,
    });
    expect(userOf(still)).toBe((await read('ada'))?.userId);
    expect(eve).not.toBe(userOf(still));
    expect((await read('eve'))?.serviceUserIds).not.toContain(serviceUserId);
  });

  test('is no conflict in another application', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const serviceUserId = systemIds.uuid();

    const [ada] = await tenant.resolve({ customUserId: 'ada', serviceUserId });
    const [eve] = await other.resolve({ customUserId: 'eve', serviceUserId });

    expect(userOf(ada)).not.toBe(userOf(eve));
  });
});

describe('a hundred concurrent transactions', () => {
  const A_HUNDRED = Array.from({ length: 100 });

  test('with the same new customUserId create one user with one serviceUserId', async () => {
    const { resolve, countUsers, register, read } = await newTenant();

    const users = await Promise.all(A_HUNDRED.map(() => resolve({ customUserId: 'ada' })));
    await register('ada');

    expect(new Set(users.map(([user]) => userOf(user))).size).toBe(1);
    expect(await countUsers()).toBe(1);
    expect((await read('ada'))?.serviceUserIds).toHaveLength(1);
  });

  test('with the same new pair of ids create one user with that serviceUserId', async () => {
    const { resolve, countUsers, register, read } = await newTenant();
    const serviceUserId = systemIds.uuid();

    const users = await Promise.all(
      A_HUNDRED.map(() => resolve({ customUserId: 'ada', serviceUserId })),
    );
    await register('ada');

    expect(new Set(users.map(([user]) => userOf(user))).size).toBe(1);
    expect(await countUsers()).toBe(1);
    expect((await read('ada'))?.serviceUserIds).toEqual([serviceUserId]);
  });

  test('with the same new serviceUserId, some with a customUserId, all name one person', async () => {
    const { resolve, rootOf, register } = await newTenant();
    const serviceUserId = systemIds.uuid();

    const users = await Promise.all(
      A_HUNDRED.map((_, index) =>
        resolve(index % 2 === 0 ? { serviceUserId } : { customUserId: 'ada', serviceUserId }),
      ),
    );
    const ada = await register('ada');

    expect(new Set(await Promise.all(users.map(([user]) => rootOf(user))))).toEqual(new Set([ada]));
  });

  test('with the same serviceUserId and two customUserIds assign it to one of them', async () => {
    const { resolve } = await newTenant();
    const serviceUserId = systemIds.uuid();

    const users = await Promise.all(
      A_HUNDRED.map((_, index) =>
        resolve({ customUserId: index % 2 === 0 ? 'ada' : 'eve', serviceUserId }),
      ),
    );
    const rejected = users.filter(([user]) => user !== undefined && 'reason' in user);

    expect(rejected).toHaveLength(50);
    expect(
      new Set(users.filter((user) => !rejected.includes(user)).map(([user]) => userOf(user))).size,
    ).toBe(1);
  });

  test('with many users in any order assign the same serviceUserIds to each user', async () => {
    const { resolve, register, read } = await newTenant();
    const people = Array.from({ length: 10 }, (_, index) => ({
      customUserId: `user-${index}`,
      serviceUserId: systemIds.uuid(),
    }));
    const sent = people.flatMap((ids) => [
      ids,
      { customUserId: ids.customUserId },
      { serviceUserId: ids.serviceUserId },
    ]);

    const batches = A_HUNDRED.map((_, index) =>
      sent.map((_ids, position) => sent[(index * 7 + position * 11) % sent.length] ?? {}),
    );
    await Promise.all(batches.map((batch) => resolve(...batch)));

    for (const { customUserId, serviceUserId } of people) {
      await register(customUserId);
      expect((await read(customUserId))?.serviceUserIds).toEqual([serviceUserId]);
    }
  });
});
