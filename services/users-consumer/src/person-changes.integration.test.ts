import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { actionMessage, changesOf, connectTestDatabase, userMessage } from '@tidings/testing';
import { PROFILE, REGISTERED, setListens } from '@tidings/user-changes/listens';
import { userTenant } from './testing/user-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

async function tenantThatListensTo(...names: readonly string[]) {
  const tenant = await userTenant(db);
  await setListens(db.sql, tenant.applicationId, names);
  return {
    ...tenant,
    kindsOf: async (userId: string) => (await changesOf(db, userId)).map(({ kind }) => kind),
    adaId: async () => (await tenant.read())?.userId ?? 'none',
    /** The user of a serviceUserId, merged or not. */
    async ownerOf(serviceUserId: string): Promise<string> {
      const { rows } = await db.sql.query<{ id: string }>(
        'select user_id as id from user_identities where application_id = $1 and service_user_id = $2',
        [tenant.applicationId, serviceUserId],
      );
      return rows[0]?.id ?? 'none';
    },
  };
}

test('a user registers once; each message after that is a new profile', async () => {
  const { record, apply, kindsOf, adaId } = await tenantThatListensTo(REGISTERED, PROFILE);
  const sent = record({ messages: [userMessage({ firstName: 'Ada' })] });
  await apply(sent);
  await apply(
    record({ messages: [userMessage({ city: 'Paris' }), userMessage({ city: 'Rome' })] }),
  );
  await apply(sent);

  expect(await kindsOf(await adaId())).toEqual(['registered', 'profile', 'profile']);
});

test('an application hears what it listens to', async () => {
  const onlyRegistered = await tenantThatListensTo(REGISTERED);
  const onlyProfiles = await tenantThatListensTo(PROFILE);
  const nothing = await tenantThatListensTo('cartd');
  const kinds: (readonly string[])[] = [];
  for (const { apply, record, kindsOf, adaId } of [onlyRegistered, onlyProfiles, nothing]) {
    await apply(record());
    kinds.push(await kindsOf(await adaId()));
  }

  expect(kinds).toEqual([['registered'], ['profile'], []]);
});

test('a visitor has no changes; joined to a person it is one of the person', async () => {
  const tenant = await tenantThatListensTo(REGISTERED, PROFILE);
  const { record, apply, kindsOf, adaId, ownerOf } = tenant;
  const serviceUserId = systemIds.uuid();
  await apply(record({ customUserId: null, serviceUserId, messages: [userMessage()] }));
  const visitor = await ownerOf(serviceUserId);
  expect(await kindsOf(visitor)).toEqual([]);

  await apply(record({ serviceUserId }));

  const userId = await adaId();
  expect(await changesOf(db, userId)).toEqual([
    { kind: 'merged', userId, anonymousId: visitor },
    { kind: 'registered', userId },
    { kind: 'profile', userId },
  ]);
});

test('a record without a `user` message may join ids, too', async () => {
  const { record, apply, kindsOf, ownerOf } = await tenantThatListensTo(REGISTERED, PROFILE);
  const serviceUserId = systemIds.uuid();
  await apply(record({ customUserId: null, serviceUserId }));
  const visitor = await ownerOf(serviceUserId);
  await apply(record({ serviceUserId, messages: [actionMessage()] }));

  const { rows } = await db.sql.query<{ id: string }>(
    'select merged_into as id from users where id = $1',
    [visitor],
  );
  expect(await kindsOf(rows[0]?.id ?? 'none')).toEqual(['merged', 'profile']);
});
