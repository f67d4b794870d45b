import { afterAll, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { insertEvent } from '../../testing/log-rows.ts';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { db, tenant, other, asServer: headers } = dashboard;

test('DELETE users/{customUserId} deletes this user of this application, and no other', async () => {
  await registerUsers(db, tenant.applicationId, ['ada', 'bob']);
  await registerUsers(db, other.applicationId, ['ada']);
  const { rows } = await db.sql.query<{ id: string }>(
    "select id from users where application_id = $1 and custom_user_id = 'ada'",
    [tenant.applicationId],
  );
  await insertEvent(db, tenant.applicationId, { slug: 'click', userId: String(rows[0]?.id) });

  const { status, text } = await dashboard.request('DELETE', 'users/ada', { headers });

  expect([status, text]).toEqual([204, '']);
  expect((await dashboard.request('GET', 'users/ada', { headers })).status).toBe(404);
  expect((await dashboard.request('GET', 'users/ada/export', { headers })).status).toBe(404);
  expect((await dashboard.request('GET', 'events', { headers })).body).toEqual({
    items: [],
    nextCursor: null,
  });
  expect((await dashboard.request('GET', 'users', { headers })).body).toMatchObject({
    items: [{ customUserId: 'bob' }],
  });
  expect((await dashboard.request('DELETE', 'users/ada', { headers })).status).toBe(404);
  const theirs = { 'X-Application-Id': other.applicationId, 'X-API-Key': other.serverKey };
  expect((await dashboard.request('GET', 'users/ada', { headers: theirs })).status).toBe(200);
});
