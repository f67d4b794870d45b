import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer } = api;
const MIB = 1024 * 1024;

type Page = { items: { slug: string; version: number }[]; nextCursor: string | null };
const get = async (path: string): Promise<Page> =>
  (await api.request<Page>('GET', path, { headers: asServer })).body;

/** As `PUT` stores them: one template with this version, of this size. */
async function store(slug: string, version: number, bytes = 100): Promise<void> {
  const content = { message: { body: 'x'.repeat(bytes) }, variants: [] };
  await db.sql.query(
    `with template as (
       insert into templates (application_id, slug, name, channel, content, version, updated_by)
       values ($1, $2, $2, 'SMS', $4, $3, 'test')
       on conflict (application_id, slug) do update set version = excluded.version, content = excluded.content
       returning *
     )
     insert into template_versions (application_id, slug, version, name, channel, content, created_by)
     select application_id, slug, version, name, channel, content, updated_by from template`,
    [tenant.applicationId, slug, version, JSON.stringify(content)],
  );
}

test('a page of large templates ends early, and the next one goes on', async () => {
  for (let index = 10; index < 20; index += 1) await store(`large-${index}`, 1, MIB);

  const first = await get('templates');
  const second = await get(`templates?cursor=${first.nextCursor}`);

  expect(first.items).toHaveLength(7);
  expect(first.nextCursor).toBe('large-16');
  expect(second.items.map(({ slug }) => slug)).toEqual(['large-17', 'large-18', 'large-19']);
  expect(second.nextCursor).toBeNull();
});

test('the versions of a large template come in pages that end early', async () => {
  for (let version = 1; version <= 10; version += 1) await store('often', version, MIB);

  const first = await get('templates/often/versions');
  const second = await get(`templates/often/versions?cursor=${first.nextCursor}`);

  expect(first.items.map(({ version }) => version)).toEqual([10, 9, 8, 7, 6, 5, 4]);
  expect(second.items.map(({ version }) => version)).toEqual([3, 2, 1]);
  expect(second.nextCursor).toBeNull();
});

test('a list goes on after a template that was deleted meanwhile', async () => {
  await store('a-1', 1);
  await store('a-2', 1);
  await store('a-3', 1);
  const { nextCursor } = await get('templates?limit=2');

  await api.request('DELETE', `templates/${nextCursor}`, { headers: api.asAdmin });

  expect((await get(`templates?limit=1&cursor=${nextCursor}`)).items).toMatchObject([
    { slug: 'a-3' },
  ]);
});

test.each(['templates', 'templates/a-1/versions', 'segments/none/versions'])(
  'GET %s rejects a cursor that no page had',
  async (path) => {
    const { status, problem } = await api.request('GET', `${path}?cursor=%20`, {
      headers: asServer,
    });

    expect(status).toBe(400);
    expect(problem.errors).toMatchObject([{ pointer: '/cursor', code: 'invalid_value' }]);
  },
);

test('there are no versions of a template that never was, with any cursor', async () => {
  const path = 'templates/none/versions?cursor=3';

  expect((await api.request('GET', path, { headers: asServer })).status).toBe(404);
});
