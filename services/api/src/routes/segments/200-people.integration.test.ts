import { afterAll, describe, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers } = api;
await registerUsers(db, tenant.applicationId, {
  'u-1': { firstName: 'יוסי', lastName: 'כהן', country: 'DE' },
  'u-2': { firstName: 'Anna', email: 'anna@example.com', country: 'DE' },
  'u-3': { phoneNumber: '+4915112345678', phoneE164: '+4915112345678', country: 'DE' },
  'u-4': { firstName: 'Anna', country: 'AT' },
});

type Page = { items: { customUserId: string }[]; nextCursor: string | null };
const condition = { field: 'country', is: 'DE' };
const ask = async (query = '') =>
  (await api.request<Page>('POST', `segments/users${query}`, { headers, body: { condition } }))
    .body;
const ids = ({ items }: Page): string[] => items.map(({ customUserId }) => customUserId);

describe('the members of a condition', () => {
  test('come in pages, with names and addresses', async () => {
    const first = await ask('?limit=2');
    const second = await ask(`?limit=2&cursor=${first.nextCursor}`);

    expect(first.items).toEqual([
      { customUserId: 'u-1', firstName: 'יוסי', lastName: 'כהן', email: null, phoneNumber: null },
      {
        customUserId: 'u-2',
        firstName: 'Anna',
        lastName: null,
        email: 'anna@example.com',
        phoneNumber: null,
      },
    ]);
    expect(ids(second)).toEqual(['u-3']);
    expect(second.nextCursor).toBeNull();
  });

  test.each([
    ['anna', ['u-2']],
    ['יוסי', ['u-1']],
    ['+49151', ['u-3']],
    ['u-', ['u-1', 'u-2', 'u-3']],
    ['stranger', []],
  ])('are searched by %s among themselves', async (search, found) => {
    expect(ids(await ask(`?search=${encodeURIComponent(search)}`))).toEqual(found);
  });

  test('are a file with the same columns', async () => {
    const { text } = await api.request('POST', 'segments/users?format=csv', {
      headers,
      body: { condition },
    });

    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'customUserId,firstName,lastName,email,phoneNumber',
      'u-1,יוסי,כהן,,',
    ]);
  });
});

test('the members of a segment have them, too', async () => {
  await api.request('PUT', 'segments/german', { headers, body: { name: 'German', condition } });

  const { body } = await api.request<Page>('GET', 'segments/german/users?limit=1', { headers });

  expect(body.items).toEqual([
    { customUserId: 'u-1', firstName: 'יוסי', lastName: 'כהן', email: null, phoneNumber: null },
  ]);
});

test('a fault of the condition has its pointer', async () => {
  const { status, body } = await api.request('POST', 'segments/users', {
    headers,
    body: { condition: { field: 'nowhere', is: 'x' } },
  });

  expect(status).toBe(400);
  expect(body).toMatchObject({ errors: [{ pointer: expect.stringMatching(/^\/condition/) }] });
});
