import { afterAll, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { writeBlock } from '@tidings/templates/blocks';
import { writeTemplate } from '@tidings/templates/templates';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, db } = api;
const { applicationId } = api.tenant;
const put = (path: string, body: unknown) => api.request('PUT', path, { headers, body });
const putBlock = (slug: string, text: string, more: object = {}) =>
  put(`blocks/${slug}`, { name: slug, text, ...more });
const putTemplate = (slug: string, body: string) =>
  put(`templates/${slug}`, { name: slug, channel: 'SMS', message: { body } });

test('another version than the expected one', async () => {
  await putBlock('own', 'a');

  expect((await putBlock('own', 'b', { expectedVersion: 0 })).status).toBe(409);
  expect((await putBlock('own', 'b', { expectedVersion: 2 })).status).toBe(409);
  expect((await putBlock('own', 'b', { expectedVersion: 1 })).status).toBe(200);
});

test('a block that templates name is not deleted', async () => {
  await putBlock('named', 'x');
  await putTemplate('b', '{% block "named" %}');
  await putTemplate('a', "{% block 'named' %}");

  const { status, problem } = await api.request('DELETE', 'blocks/named', { headers });

  expect(status).toBe(409);
  expect(problem.detail).toBe('Templates name it: a, b. Change these first.');
});

test('templates that are too large together are not written', async () => {
  await putBlock('large', 'x', { html: 'x' });
  const body = `{% block "large" %}${'x'.repeat(LIMITS.templateBytesMax - 100)}`;
  const message = { body };
  const condition = { field: 'city', is: 'Ulm' };
  const variants = Array.from({ length: 2 }, () => ({ name: 'x', condition, message }));
  for (let index = 0; index < 22; index += 1)
    await writeTemplate(db, {
      applicationId,
      slug: `large-${index}`,
      name: 'Large',
      channel: 'IN_APP',
      message,
      variants,
      by: 'test',
    });

  const { status, problem } = await putBlock('large', 'y', { html: 'y' });

  expect(status).toBe(409);
  expect(problem.detail).toBe('The templates that name this block have more than 16 MiB together.');
});

test('beyond the maximum', async () => {
  await db.sql.query(
    `insert into template_blocks (application_id, slug, name, content, version, updated_by)
     select $1, 'n-' || no, 'x', '{"text": "x"}', 1, 'test' from generate_series(1, $2) as n(no)`,
    [applicationId, LIMITS.blocksMax],
  );

  expect((await putBlock('one-more', 'x')).status).toBe(409);
  expect((await putBlock('n-1', 'y')).status).toBe(200);
  await db.sql.query(`delete from template_blocks where slug like 'n-%'`);
});

test('changes of a block and of templates at the same time leave each template with the block in force', async () => {
  await putBlock('shared', 'block 0');
  const slugs = ['t-0', 't-1', 't-2'];
  const save = (slug: string, no: number) =>
    writeTemplate(db, {
      applicationId,
      slug,
      name: slug,
      channel: 'SMS',
      message: { body: `text ${no}: {% block "shared" %}` },
      by: 'test',
    });
  const change = (no: number) =>
    writeBlock(db, {
      applicationId,
      slug: 'shared',
      name: 'Shared',
      text: `block ${no}`,
      by: 'test',
    });
  const outcomes: unknown[] = [];
  const keep = async (work: Promise<unknown>) => outcomes.push(await work);

  await Promise.all([
    ...slugs.map(async (slug) => {
      for (let no = 1; no <= 8; no += 1) await keep(save(slug, no));
    }),
    (async () => {
      for (let no = 1; no <= 8; no += 1) await keep(change(no));
    })(),
  ]);
  // None is left undone without a word.
  expect(
    outcomes.filter(
      (each) =>
        each !== 'moved' &&
        (typeof each !== 'object' || each === null || !('block' in each || 'template' in each)),
    ),
  ).toEqual([]);

  const { rows } = await db.sql.query<{
    slug: string;
    version: number;
    body: string;
    used: number;
  }>(
    `select v.slug, v.version, v.content -> 'message' ->> 'body' as body, (s.blocks ->> 'shared')::int as used
     from template_versions v join template_sources s using (application_id, slug, version)
     where v.application_id = $1 and v.slug like 't-%' order by v.slug, v.version`,
    [applicationId],
  );
  const { rows: blocks } = await db.sql.query<{ version: number; text: string }>(
    `select version, content ->> 'text' as text from template_block_versions
     where application_id = $1 and slug = 'shared'`,
    [applicationId],
  );
  const textOf = new Map(blocks.map(({ version, text }) => [version, text]));
  // Each version says what its block said then.
  for (const { body, used } of rows) expect(body.split(': ')[1]).toBe(textOf.get(used));
  const newest = Math.max(...textOf.keys());
  for (const slug of slugs)
    expect(rows.filter((row) => row.slug === slug).at(-1)).toMatchObject({ used: newest });
});
