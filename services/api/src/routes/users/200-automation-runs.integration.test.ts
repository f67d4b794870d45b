import { afterAll, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, db, tenant } = api;
const { applicationId } = tenant;

test('the runs of a user are listed across automations, page by page, and are in the export', async () => {
  await registerUsers(db, applicationId, ['eve']);
  for (const slug of ['first', 'second']) {
    await api.request('PUT', `automations/${slug}`, {
      headers,
      body: {
        version: 1,
        name: `The ${slug}`,
        purpose: 'transactional',
        trigger: { api: true },
        nodes: [{ id: 'hour', delay: '1h' }],
      },
    });
    await api.request('POST', `automations/${slug}/activate`, { headers, body: {} });
    await api.request('POST', `automations/${slug}/runs`, {
      headers: { ...headers, 'idempotency-key': slug },
      body: '{"customUserId":"eve","data":{"big":9007199254740993}}',
    });
  }
  // As the engine counts entries.
  await db.sql.query(
    `insert into automation_entries (automation_id, user_id, application_id, last_entered_at, entries)
     select automation_id, user_id, application_id, to_timestamp(1.5), 3 from automation_runs
     where user_id = (select id from users where application_id = $1 and custom_user_id = 'eve')`,
    [applicationId],
  );
  const list = async (query = '') =>
    (
      await api.request<{ items: object[]; nextCursor: string | null }>(
        'GET',
        `users/eve/automation-runs?limit=1${query}`,
        { headers: api.asServer },
      )
    ).body;

  const newest = await list();
  const next = await list(`&cursor=${newest.nextCursor}`);

  expect(newest.items).toMatchObject([
    { status: 'active', customUserId: 'eve', automation: { slug: 'second', name: 'The second' } },
  ]);
  expect(next).toMatchObject({ items: [{ automation: { slug: 'first' } }], nextCursor: null });
  const { body, text } = await api.request<{ automations: object }>('GET', 'users/eve/export', {
    headers: api.asServer,
  });
  expect(body.automations).toMatchObject({
    runs: [
      { automation: 'first', status: 'active', eventId: null, trace: [] },
      { automation: 'second', status: 'active' },
    ],
    triggers: expect.arrayContaining([
      expect.objectContaining({ automation: 'first', result: 'entered' }),
      expect.objectContaining({ automation: 'second', result: 'entered' }),
    ]),
    entries: [
      { automation: 'first', key: '', entries: 3, lastEnteredAt: 1_500 },
      { automation: 'second', key: '', entries: 3, lastEnteredAt: 1_500 },
    ],
  });
  expect(text).toContain('"big":9007199254740993');
});
