import { afterAll, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { insertEvent } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other, asServer: headers } = api;

test('DELETE users/{customUserId} deletes only this user of this application', async () => {
  await registerUsers(db, tenant.applicationId, ['ada', 'bob']);
  await registerUsers(db, other.applicationId, ['ada']);
  const { rows } = await db.sql.query<{ id: string }>(
    "select id from users where application_id = $1 and custom_user_id = 'ada'",
    [tenant.applicationId],
  );
  await insertEvent(db, tenant.applicationId, { slug: 'click', userId: String(rows[0]?.id) });

  const { status, text } = await api.request('DELETE', 'users/ada', { headers });

  expect([status, text]).toEqual([204, '']);
  expect((await api.request('GET', 'users/ada', { headers })).status).toBe(404);
  expect((await api.request('GET', 'users/ada/export', { headers })).status).toBe(404);
  expect((await api.request('GET', 'events', { headers })).body).toEqual({
    items: [],
    nextCursor: null,
  });
  expect((await api.request('GET', 'users', { headers })).body).toMatchObject({
    items: [{ customUserId: 'bob' }],
  });
  expect((await api.request('DELETE', 'users/ada', { headers })).status).toBe(404);
  const theirs = { 'X-Application-Id': other.applicationId, 'X-API-Key': other.serverKey };
  expect((await api.request('GET', 'users/ada', { headers: theirs })).status).toBe(200);
});
