import { afterAll, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other } = api;
await registerUsers(db, tenant.applicationId, ['Ada']);
await registerUsers(db, other.applicationId, ['theirs']);
await db.sql.query(
  `insert into users (id, application_id, custom_user_id) values (uuidv7(), $1, 'unregistered')`,
  [tenant.applicationId],
);

test.each([
  ['an unregistered user', 'unregistered'],
  ['an id in another letter case', 'ada'],
  ['a user who was seen but not registered', 'unregistered'],
  ['a user of another tenant', 'theirs'],
  ['U+0000', '%00'],
  ['an id longer than any', 'x'.repeat(5_000)],
])('%s', async (_name, customUserId) => {
  for (const path of [
    `users/${customUserId}`,
    `users/${customUserId}/events`,
    `users/${customUserId}/export`,
  ]) {
    const { status, problem } = await api.request('GET', path, {
      headers: api.asServer,
    });

    expect([status, problem.code]).toEqual([404, 'not_found']);
  }
});
