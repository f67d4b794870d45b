import { afterAll, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { insertEvent } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, asServer } = api;

test('GET definitions pages through those of the application, by name', async () => {
  const names = ['apple', 'banana', 'cherry', 'date', 'elder'];
  for (const name of names.toReversed())
    await api.request('POST', 'definitions', { headers, body: { name, kind: 'action' } });
  await api.request('POST', 'definitions', {
    headers: { ...headers, 'X-Application-Id': api.other.applicationId },
    body: { name: 'theirs', kind: 'action' },
  });

  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: { body: { items: { name: string }[]; nextCursor: string | null } } =
      await api.request('GET', `definitions?limit=2&cursor=${cursor}`, { headers: asServer });
    expect(body.items.length).toBeLessThanOrEqual(2);
    seen.push(...body.items.map(({ name }) => name));
    cursor = body.nextCursor;
  }

  expect(seen).toEqual(names);
});

type Definition = { readonly slug: string; readonly name: string };

const make = async (name: string, kind = 'action'): Promise<string> =>
  (await api.request<Definition>('POST', 'definitions', { headers, body: { name, kind } })).body
    .slug;

test('PATCH definitions/{slug} renames and discards, and keeps absent fields', async () => {
  const slug = await make('bought');
  const patch = async (body: unknown) =>
    (await api.request('PATCH', `definitions/${slug}`, { headers, body })).body;

  expect(await patch({ name: 'purchased' })).toMatchObject({
    slug,
    name: 'purchased',
    discarded: false,
  });
  expect(await patch({ discarded: true })).toMatchObject({
    slug,
    name: 'purchased',
    discarded: true,
  });
  expect(await patch({ name: 'purchased' })).toMatchObject({ name: 'purchased', discarded: true });
  expect(await patch({ discarded: false })).toMatchObject({
    slug,
    name: 'purchased',
    discarded: false,
  });
  expect(await patch({})).toMatchObject({ slug, name: 'purchased' });
});

test('POST definitions/{slug}/merge merges: past and future events are shown for the target', async () => {
  const { db, tenant } = api;
  const [slug, into] = [await make('signed up'), await make('registered')];
  await registerUsers(db, tenant.applicationId, ['ada']);
  const { rows } = await db.sql.query<{ id: string }>(
    'select id from users where application_id = $1',
    [tenant.applicationId],
  );
  await insertEvent(db, tenant.applicationId, { id: 'old', slug, userId: String(rows[0]?.id) });

  const { status, body } = await api.request('POST', `definitions/${slug}/merge`, {
    headers,
    body: { into },
  });

  expect(status).toBe(200);
  expect(body).toMatchObject({ slug, name: 'signed up', mergedInto: into });
  const shown = { items: [{ id: 'old', slug: into, name: 'registered' }] };
  expect((await api.request('GET', 'users/ada/events', { headers: asServer })).body).toMatchObject(
    shown,
  );
  expect(
    (await api.request('GET', `events?definition=${into}`, { headers: asServer })).body,
  ).toMatchObject(shown);
  expect(
    (await api.request('GET', 'definitions?limit=500', { headers: asServer })).body['items'],
  ).toContainEqual(expect.objectContaining({ slug, mergedInto: into }));
});
