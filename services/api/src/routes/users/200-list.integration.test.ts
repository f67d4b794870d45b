import { afterAll, describe, expect, test } from '@jest/globals';
import { updateApplication } from '@tidings/people/update-application';
import { systemIds } from '@tidings/platform';
import { registerUsers } from '@tidings/testing';
import { insertUser, readAll } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other } = api;
const { applicationId } = tenant;

type Page = {
  readonly items: readonly { readonly customUserId: string }[];
  readonly nextCursor: string | null;
};

const list = async (query: string): Promise<Page> =>
  (await api.request<Page>('GET', `users?${query}`, { headers: api.asServer })).body;
const search = async (text: string, limit = 50): Promise<string[]> =>
  (
    await readAll((cursor) =>
      list(
        `search=${encodeURIComponent(text)}&limit=${limit}&cursor=${encodeURIComponent(cursor)}`,
      ),
    )
  ).items.map(({ customUserId }) => customUserId);

await registerUsers(db, applicationId, {
  ada: {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'Ada@Example.org',
    phoneNumber: '030 123456',
  },
  adam: { email: 'family@example.org' },
  eve: { email: 'family@example.org', hashedEmail: 'a1b2c3', hashedPhoneNumber: 'd4e5f6' },
  'ada%': { email: 'adam@xn--kln-sna.example' },
  Ada: {},
  bad: { phoneNumber: 'ext. 12/34-x', email: ' Bad@MÜNCHEN.example' },
  guest: { email: 'Gäst@Example.org', phoneNumber: '(0)', hashedEmail: 'A1B2C3DD' },
  ада: {},
  '👩‍👩‍👧': {},
});
await registerUsers(db, other.applicationId, { ada: { email: 'ada@example.org' }, theirs: {} });
await insertUser(db, applicationId, { customUserId: 'adalbert' });
const ID = 'select id from users where application_id = $1 and custom_user_id = $2';
const [adasId] = (await db.sql.query<{ id: string }>(ID, [applicationId, 'ada'])).rows.map(
  ({ id }) => id,
);
const past = await insertUser(db, applicationId, { mergedInto: String(adasId) });
await db.sql.query(`update users set fields = '{"email": "before@example.org"}' where id = $1`, [
  past,
]);
await db.sql.query(`update users set phone_e164 = '+4930123456' where id = $1`, [adasId]);
// Both have the same time, so they are ordered by id.
const [own = '', former = ''] = [systemIds.uuid(), systemIds.uuid()].toSorted();
await db.sql.query(
  'insert into user_identities (application_id, service_user_id, user_id) values ($1, $2, $3), ($1, $4, $5)',
  [applicationId, own, adasId, former, past],
);
await updateApplication(db, applicationId, { settings: { defaultCountry: 'DE' } });

const ALL = ['Ada', 'ada', 'ada%', 'adam', 'bad', 'eve', 'guest', 'ада', '👩‍👩‍👧'];

describe('GET users', () => {
  test('are all registered users, ordered by id', async () => {
    const { items, nextCursor } = await list('');

    expect(items.map(({ customUserId }) => customUserId)).toEqual(ALL);
    expect(nextCursor).toBeNull();
    expect(items[1]).toEqual({
      customUserId: 'ada',
      serviceUserIds: [own, former],
      registeredAt: expect.any(Number),
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'Ada@Example.org',
      phoneNumber: '030 123456',
    });
    expect(items[0]).toMatchObject({
      firstName: null,
      lastName: null,
      email: null,
      phoneNumber: null,
    });
  });

  test.each([1, 2, 8, 9])('in pages of %d are complete and without duplicates', async (limit) => {
    expect(await search('', limit)).toEqual(ALL);
  });

  test.each([
    ['an id, and those that begin with it', 'ada', ['ada', 'ada%', 'adam']],
    ['the beginning of an id', 'a', ['ada', 'ada%', 'adam']],
    ['an id with a wildcard in it', 'ada%', ['ada%']],
    ['the letter case matters', 'Ad', ['Ada']],
    ['another alphabet', 'а', ['ада']],
    ['emoji', '👩', ['👩‍👩‍👧']],
    ['a serviceUserId', own, ['ada']],
    ['one in capitals', own.toUpperCase(), ['ada']],
    ['one of the anonymous past', former, ['ada']],
    ['an e-mail address in any letter case', 'ADA@example.ORG', ['ada']],
    ['an e-mail address of the anonymous past', 'before@example.org', ['ada']],
    ['an e-mail address of two', 'family@example.org', ['adam', 'eve']],
    ['a phone number as it was written', '030 123456', ['ada']],
    ['a phone number in E.164', '+4930123456', ['ada']],
    ['a phone number in another spelling', '+49 (30) 12-34-56', ['ada']],
    ['a phone number as people write it in its country', '030/12 34-56', ['ada']],
    ['a phone number that is none, as it was written', 'ext. 12/34-x', ['bad']],
    ['a phone number that is none, without its signs and in capitals', 'EXT1234X', ['bad']],
    ['one of two signs', '0', ['guest']],
    ['signs alone', '(/)', []],
    ['an e-mail address with letters beyond ASCII', 'GÄST@example.org', ['guest']],
    ['an e-mail address with spaces around it', ' ada@example.org ', ['ada']],
    ['an e-mail address whose domain is in ASCII form', 'bad@xn--mnchen-3ya.example', ['bad']],
    ['the same in letters', 'BAD@münchen.example', ['bad']],
    ['an e-mail address in letters, of an ASCII form', 'adam@köln.example', ['ada%']],
    ['an e-mail address in full-width letters', 'ａda@example.org', ['ada']],
    ['a hash in capitals', 'A1B2C3', ['eve']],
    ['a hash that was sent in capitals', 'a1b2c3dd', ['guest']],
    ['a hashed e-mail address', 'a1b2c3', ['eve']],
    ['a hashed phone number', 'd4e5f6', ['eve']],
    ['a part of an e-mail address', 'example.org', []],
    ['one who is not registered', 'adalbert', []],
    ['a user of another tenant', 'theirs', []],
    ['no user', systemIds.uuid(), []],
    ['a text longer than any id', 'x'.repeat(2_000), []],
  ])('?search finds by %s', async (_name, text, expected) => {
    expect(await search(text)).toEqual(expected);
    expect(await search(text, 1)).toEqual(expected);
  });
});

test('a page reads only as many users as it shows, for any number of users', async () => {
  await using crowd = await startTestApi();
  await crowd.db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at, fields)
     select uuidv7(), $1, 'u' || lpad(n::text, 6, '0'), case when n % 2 = 0 then now() end, '{"email": "crowd@example.org", "phoneNumber": "12"}'
     from generate_series(1, 10000) as n`,
    [crowd.tenant.applicationId],
  );
  await crowd.db.sql.query('analyze users');
  await registerUsers(crowd.db, crowd.tenant.applicationId, {
    z: { email: 'z@example.org' },
    a: {},
  });

  const read = (query: string) =>
    readAll(
      async (cursor) =>
        (
          await crowd.request<Page>('GET', `users?${query}&limit=500&cursor=${cursor}`, {
            headers: crowd.asServer,
          })
        ).body,
    );

  for (const query of ['', 'search=u', 'search=crowd@example.org', 'search=1-2']) {
    const { items, pages } = await read(query);
    expect([query, new Set(items.map(({ customUserId }) => customUserId)).size, pages]).toEqual([
      query,
      query === '' ? 5_002 : 5_000,
      query === '' ? 11 : 10,
    ]);
  }
  expect(await read('search=z@example.org')).toMatchObject({
    items: [{ customUserId: 'z' }],
    pages: 1,
  });
}, 60_000);
