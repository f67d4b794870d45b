import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { lockTemplates } from '@tidings/templates/templates';
import { eventually } from '@tidings/testing';
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
  await db.sql.query(
    `with template as (
       insert into templates (application_id, slug, name, channel, content, version, updated_by)
       select $1, 'large-' || no, 'Large', 'IN_APP', $2, 1, 'test' from generate_series(1, 22) as n(no)
       returning *
     )
     insert into template_sources (application_id, slug, version, content, blocks)
     select application_id, slug, version, content, '{"large": 1}' from template`,
    [applicationId, JSON.stringify({ message, variants })],
  );

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

describe('a change of a block and a save of a template at the same time', () => {
  const waiting = async (count: number) =>
    eventually(async () => {
      const { rows } = await db.sql.query(
        `select from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
      );
      expect(rows).toHaveLength(count);
    });
  /** Each has checked what it found before any of them writes; they write in this order. */
  const atOnce = async (changes: readonly (() => Promise<unknown>)[]) => {
    const begun: Promise<unknown>[] = [];
    await db.transaction(async (sql) => {
      await lockTemplates(sql, applicationId);
      for (const [index, change] of changes.entries()) {
        begun.push(change());
        await waiting(index + 1);
      }
    });
    return Promise.all(begun);
  };
  const save = () => putTemplate('both', 'says {% block "both" %}');
  const change = () => putBlock('both', 'new');
  beforeEach(async () => {
    await api.request('DELETE', 'templates/both', { headers });
    await putBlock('both', 'old');
  });

  test.each([
    ['the change is first', [change, save]],
    ['the save is first', [save, change]],
  ])('leave the template with the block in force when %s', async (_order, changes) => {
    expect(await atOnce(changes)).toEqual(
      changes.map(() => expect.objectContaining({ status: 200 })),
    );

    const { body: block } = await api.request('GET', 'blocks/both', { headers });
    const { body: template } = await api.request('GET', 'templates/both', { headers });
    expect(template['blocks']).toEqual([{ slug: 'both', version: block['version'] }]);
    const { rows } = await db.sql.query(
      `select content -> 'message' ->> 'body' as body from templates
       where application_id = $1 and slug = 'both'`,
      [applicationId],
    );
    expect(rows).toEqual([{ body: 'says new' }]);
  });
});
