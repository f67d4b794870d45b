import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
await registerUsers(api.db, api.tenant.applicationId, ['ada']);

test.each([
  ['limit=0', '/limit'],
  ['limit=501', '/limit'],
  ['cursor=x', '/cursor'],
  [`cursor=1_${systemIds.uuid()}`, '/cursor'],
  [`cursor=1_${'-'.repeat(36)}_0`, '/cursor'],
  [`cursor=9223372036854775808_${systemIds.uuid()}_0`, '/cursor'],
  [`cursor=1_${systemIds.uuid()}_99999`, '/cursor'],
  ['cursor=a&cursor=b', '/cursor'],
])('GET users/{customUserId}/events?%s', async (query, pointer) => {
  const { status, problem } = await api.request('GET', `users/ada/events?${query}`, {
    headers: api.asServer,
  });

  expect(status).toBe(400);
  expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
});

/** Ids of users, some of which look like cursors. */
test.each(['ada', '0', 'u', 'ux', 'u=', 'uYWRh=', 'uYW', '!', '%F0%9F%98%80'])(
  'GET users?cursor=%s',
  async (cursor) => {
    const { status, problem } = await api.request('GET', `users?cursor=${cursor}`, {
      headers: api.asServer,
    });

    expect(status).toBe(400);
    expect(problem.errors).toEqual([
      { pointer: '/cursor', code: 'invalid_value', expected: 'a nextCursor of this list' },
    ]);
  },
);
