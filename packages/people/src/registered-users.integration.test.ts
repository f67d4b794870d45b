import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase } from '@tidings/testing';
import { createTenant } from './testing/identified-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

test('a registered user is registered by each of its ids, also by that of a merged user', async () => {
  const { resolve, register } = await createTenant(db);
  const [anonymous, joined] = [systemIds.uuid(), systemIds.uuid()];
  const ways = [
    { customUserId: 'ada' },
    { serviceUserId: joined },
    { serviceUserId: anonymous },
    { customUserId: 'ada', serviceUserId: anonymous },
    // Its rejected messages name the existing user.
    { customUserId: 'ada', serviceUserId: 'not-a-uuid' },
  ];
  await resolve({ serviceUserId: anonymous });
  await resolve(
    { customUserId: 'ada', serviceUserId: joined },
    { customUserId: 'ada', serviceUserId: anonymous },
  );
  const registered = async () => (await resolve(...ways)).map((way) => way?.isRegistered);

  expect(await registered()).toEqual(ways.map(() => false));
  await register('ada');

  expect(await registered()).toEqual(ways.map(() => true));
  expect(await resolve({ customUserId: 'eve' }, { serviceUserId: systemIds.uuid() })).toMatchObject(
    [{ isRegistered: false }, { isRegistered: false }],
  );
});
