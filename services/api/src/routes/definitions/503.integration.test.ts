import { expect, test } from '@jest/globals';
import { createOwnDatabase, untilBlockedBy } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

test('a definition is not deleted when the search for its events times out', async () => {
  // Its own database: a lock on all events would block other tests. The API closes it.
  const own = await createOwnDatabase();
  await using api = await startTestApi({}, own);
  const { asAdmin: headers } = api;
  const { body } = await api.request('POST', 'definitions', {
    headers,
    body: { name: 'noise', kind: 'action' },
  });

  const {
    status,
    problem,
    headers: answered,
  } = await own.transaction(async (sql) => {
    await sql.query('lock table definition_hours in access exclusive mode');
    const deleting = api.request('DELETE', `definitions/${String(body['slug'])}`, {
      headers,
    });
    await untilBlockedBy(own, sql);
    return await deleting;
  });

  expect([status, problem.code, answered.get('retry-after')]).toEqual([503, 'unavailable', '5']);
  expect(
    (await api.request('DELETE', `definitions/${String(body['slug'])}`, { headers })).status,
  ).toBe(204);
}, 30_000);
