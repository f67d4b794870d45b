import { afterAll, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, db, tenant } = api;
const condition = { field: 'country', is: 'DE' };
const put = (slug: string, body: object = {}) =>
  api.request('PUT', `segments/${slug}`, { headers, body: { name: slug, condition, ...body } });

test('a segment that moved', async () => {
  await put('moved');
  await put('moved', { name: 'Moved' });

  expect((await put('moved', { expectedVersion: 1, name: 'Late' })).status).toBe(409);
  expect((await put('moved', { expectedVersion: 0, name: 'New' })).status).toBe(409);
  expect((await put('absent', { expectedVersion: 1 })).status).toBe(409);
  expect((await put('absent', { expectedVersion: 0 })).status).toBe(200);
});

test('a segment that another one names is not deleted', async () => {
  await put('used');
  await put('user', { condition: { any: [{ segment: 'used' }, condition] } });

  const { status, problem } = await api.request('DELETE', 'segments/used', { headers });

  expect(status).toBe(409);
  expect(problem.detail).toContain('user');
  expect((await api.request('DELETE', 'segments/user', { headers })).status).toBe(204);
  expect((await api.request('DELETE', 'segments/used', { headers })).status).toBe(204);
});

test('a segment that a variant of a template names is not deleted', async () => {
  await put('asked');
  const template = (name: string) => ({
    name: 'Text',
    channel: 'SMS',
    message: { body: 'x' },
    variants: [{ name: 'x', condition: { not: { segment: name } }, message: { body: 'y' } }],
  });
  await put('other');
  const write = (name: string) =>
    api.request('PUT', 'templates/text', { headers, body: template(name) });
  await write('asked');

  const { status, problem } = await api.request('DELETE', 'segments/asked', { headers });

  expect(status).toBe(409);
  expect(problem.detail).toContain('text');
  await write('other');
  expect((await api.request('DELETE', 'segments/asked', { headers })).status).toBe(204);
  expect((await api.request('DELETE', 'templates/text', { headers })).status).toBe(204);
  expect((await api.request('DELETE', 'segments/other', { headers })).status).toBe(204);
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

test('no more segments than the limit', async () => {
  await db.sql.query(
    `insert into segments (application_id, slug, name, condition, version, updated_by)
     select $1, 'many-' || n, 'Many', '{"field":"country","is":"DE"}', 1, 'test' from generate_series(1, $2::int) n`,
    [tenant.applicationId, LIMITS.segmentsMax],
  );

  expect((await put('one-more')).status).toBe(409);
  expect((await put('many-1', { name: 'Still changes' })).status).toBe(200);
});
