import { afterAll, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, db, tenant } = api;
const put = (slug: string, body: object = {}) =>
  api.request('PUT', `templates/${slug}`, {
    headers,
    body: { name: slug, channel: 'SMS', message: { body: 'x' }, ...body },
  });

test('a template that moved', async () => {
  await put('moved');
  await put('moved', { name: 'Moved' });

  expect((await put('moved', { expectedVersion: 1, name: 'Late' })).status).toBe(409);
  expect((await put('moved', { expectedVersion: 0, name: 'New' })).status).toBe(409);
  expect((await put('absent', { expectedVersion: 1 })).status).toBe(409);
  expect((await put('absent', { expectedVersion: 0 })).status).toBe(200);
});

test('another channel', async () => {
  await put('sms');

  expect((await put('sms', { channel: 'EMAIL' })).status).toBe(409);
});

test('of writers at the same time, one makes the next version', async () => {
  await put('race');

  const written = await Promise.all(
    Array.from({ length: 4 }, (_, index) =>
      put('race', { name: `of ${index}`, expectedVersion: 1 }),
    ),
  );

  expect(written.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
});

test('no more templates than the limit', async () => {
  await db.sql.query(
    `insert into templates (application_id, slug, name, channel, content, version, updated_by)
     select $1, 'many-' || n, 'Many', 'SMS', '{"message":{"body":"x"},"variants":[]}', 1, 'test' from generate_series(1, $2::int) n`,
    [tenant.applicationId, LIMITS.templatesMax],
  );

  expect((await put('one-more')).status).toBe(409);
  expect((await put('many-1', { name: 'Still changes' })).status).toBe(200);
});
