import { afterAll, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other, asAdmin: headers } = api;
const phone = { phoneNumber: '+4915112345678', phoneE164: '+4915112345678' };
await registerUsers(db, tenant.applicationId, {
  ada: { email: 'ada@example.com' },
  'anna@example.com': { email: 'other@example.com' },
  'u-1': { email: 'anna@example.com' },
  'u-2': { email: 'Twice@Example.com' },
  'u-3': { email: 'twice@example.com' },
  'u-4': phone,
  כהן: {},
});
await registerUsers(db, other.applicationId, { foreign: { email: 'foreign@example.com' } });

const resolve = async (...texts: readonly string[]) => {
  const { body } = await api.request<{
    items: { text: string; customUserIds: string[] }[];
  }>('POST', 'users/resolve', { headers, body: { texts } });
  return body.items;
};

test.each([
  ['ada', ['ada']],
  [' ada ', ['ada']],
  ['ADA@example.com', ['ada']],
  ['+4915112345678', ['u-4']],
  ['+49 151 12345678', ['u-4']],
  ['twice@example.com', ['u-2', 'u-3']],
  ['כהן', ['כהן']],
  // An id comes first: it names one user.
  ['anna@example.com', ['anna@example.com']],
  ['nowhere@example.com', []],
  ['foreign@example.com', []],
  ['foreign', []],
  ['', []],
])('%j is of %j', async (text, customUserIds) => {
  expect(await resolve(text)).toEqual([{ text: text.trim(), customUserIds }]);
});

test('the answer has each text in its place, also one that comes twice', async () => {
  const items = await resolve('u-1', 'stranger', 'ada', 'u-1');

  expect(items.map(({ customUserIds }) => customUserIds)).toEqual([['u-1'], [], ['ada'], ['u-1']]);
});

test.each([
  [{ texts: [] }, '/texts'],
  [{ texts: Array.from({ length: 1_001 }, (_, index) => String(index)) }, '/texts'],
  [{ texts: ['a\u0000'] }, '/texts/0'],
  [{}, '/texts'],
])('a body that is not valid is refused', async (body, pointer) => {
  const answer = await api.request('POST', 'users/resolve', { headers, body });

  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ errors: [{ pointer }] });
});
