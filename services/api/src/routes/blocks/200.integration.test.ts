import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, asServer, db } = api;
const get = async (path: string) => (await api.request('GET', path, { headers: asServer })).body;
const put = (path: string, body: unknown) => api.request('PUT', path, { headers, body });
const putBlock = (slug: string, body: object) => put(`blocks/${slug}`, { name: slug, ...body });
const putTemplate = (slug: string, message: object, more: object = {}) =>
  put(`templates/${slug}`, { name: slug, channel: 'EMAIL', message, ...more });
/** What a campaign that names it would keep. */
const sent = async (name: string) => {
  const [slug = '', version] = name.split('@');
  const body = { customUserId: 'ada', ...(version !== undefined && { version: Number(version) }) };
  const answer = await api.request<{ message: { body: string } }>(
    'POST',
    `templates/${slug}/preview`,
    { headers, body },
  );
  return answer.body.message.body;
};

beforeAll(async () => {
  await registerUsers(db, api.tenant.applicationId, { ada: { firstName: 'Ada', city: 'Ulm' } });
});

describe('PUT blocks/{slug}', () => {
  test('creates a block, and changes it to a new version', async () => {
    const first = await putBlock('own', { html: '<p>x</p>' });
    const second = await putBlock('own', { html: '<p>x</p>', text: 'x', expectedVersion: 1 });

    expect(first).toMatchObject({
      status: 200,
      body: { slug: 'own', version: 1, html: '<p>x</p>', text: null, usedBy: [] },
    });
    expect(second).toMatchObject({ body: { version: 2, text: 'x', updatedBy: 'token:test' } });
    expect(await get('blocks/own')).toEqual(second.body);
    expect(await get('blocks/own/versions')).toMatchObject({
      items: [
        { version: 2, text: 'x', createdBy: 'token:test' },
        { version: 1, text: null },
      ],
    });
  });

  test('changes nothing for equal content, also as it was read', async () => {
    await putBlock('same', { text: 'x' });

    expect((await putBlock('same', { text: 'x', html: null })).body).toMatchObject({ version: 1 });
  });

  test.each([
    ['Cyrillic', 'Нижний колонтитул'],
    ['Hebrew', 'כותרת תחתונה'],
    ['Persian', 'پاورقی'],
    ['Chinese', '页脚'],
    ['Devanagari', 'पाद लेख'],
  ])('takes a name and texts in %s', async (_script, name) => {
    await put('blocks/script', { name, text: name });
    await putTemplate('script', { title: 'x', body: '{% block "script" %}' });

    expect(await get('blocks/script')).toMatchObject({ name, text: name });
    expect(await sent('script')).toBe(name);
  });
});

describe('a template that names a block', () => {
  beforeAll(async () => {
    await putBlock('footer', { html: '<p>Shop, {{ user.city }}</p>', text: 'Shop' });
    await putTemplate('mail', { title: 'Hi', body: '<h1>Hi</h1>{% block "footer" %}' });
    await put('templates/code', {
      name: 'Code',
      channel: 'SMS',
      message: { body: 'Hi' },
      variants: [
        {
          name: 'In Ulm',
          condition: { field: 'city', is: 'Ulm' },
          message: { body: 'Hi from {% block "footer" %}' },
        },
      ],
    });
  });

  test('is read as it was written, and sent with the block in its place', async () => {
    expect(await get('templates/mail')).toMatchObject({
      version: 1,
      message: { body: '<h1>Hi</h1>{% block "footer" %}' },
      blocks: [{ slug: 'footer', version: 1 }],
    });
    expect(await sent('mail')).toBe('<h1>Hi</h1><p>Shop, Ulm</p>');
    expect(await sent('code')).toBe('Hi from Shop');
    expect(await get('blocks/footer')).toMatchObject({ usedBy: ['code', 'mail'] });
  });

  test('counts the variables of the block among its own', async () => {
    const { body } = await api.request('POST', 'templates/mail/preview', { headers, body: {} });

    expect(body).toMatchObject({ variables: [{ name: 'user.city', isRequired: true }] });
  });

  test('is previewed with it before it is saved', async () => {
    const message = { title: 'x', body: '<i>{% block "footer" %}' };

    const { body } = await api.request('POST', 'templates/preview', {
      headers,
      body: { channel: 'EMAIL', message, customUserId: 'ada' },
    });

    expect(body).toMatchObject({ message: { body: '<i><p>Shop, Ulm</p>' }, isHtml: true });
  });

  test('has a new version with each change of the block, and keeps the ones before', async () => {
    await putBlock('footer', { html: '<p>Shop Ltd</p>', text: 'Shop Ltd' });

    expect(await get('templates/mail')).toMatchObject({
      version: 2,
      message: { body: '<h1>Hi</h1>{% block "footer" %}' },
      blocks: [{ slug: 'footer', version: 2 }],
      updatedBy: 'token:test',
    });
    expect(await sent('mail')).toBe('<h1>Hi</h1><p>Shop Ltd</p>');
    expect(await sent('mail@1')).toBe('<h1>Hi</h1><p>Shop, Ulm</p>');
    expect(await sent('code')).toBe('Hi from Shop Ltd');
    expect(await get('templates/mail/versions')).toMatchObject({
      items: [{ blocks: [{ version: 2 }] }, { blocks: [{ version: 1 }] }],
    });
  });

  test('is the same after a change that is none, and another after one of its own', async () => {
    const body = '<h1>Hi</h1>{% block "footer" %}';

    expect((await putTemplate('mail', { title: 'Hi', body })).body).toMatchObject({ version: 2 });
    // What is sent is the same, what was written is not.
    const written = await putTemplate('mail', { title: 'Hi', body: '<h1>Hi</h1><p>Shop Ltd</p>' });
    expect(written.body).toMatchObject({ version: 3, blocks: [] });
    expect(await get('blocks/footer')).toMatchObject({ usedBy: ['code'] });
    expect((await putTemplate('mail', { title: 'Hi', body })).body).toMatchObject({ version: 4 });
  });

  test('may be saved by who has seen the version before a change of the block alone', async () => {
    await putTemplate('seen', { title: 'Hi', body: '{% block "footer" %}' });
    await putBlock('footer', { html: '<p>Shop Inc</p>', text: 'Shop Inc' });

    const body = '{% block "footer" %} Bye';
    const saved = await putTemplate('seen', { title: 'Hi', body }, { expectedVersion: 1 });
    const late = await putTemplate('seen', { title: 'Ho', body }, { expectedVersion: 1 });

    expect(saved).toMatchObject({ status: 200, body: { version: 3 } });
    expect(late.status).toBe(409);
  });

  test('that is deleted keeps no block, and is not brought back by its change', async () => {
    await putBlock('rare', { text: 'x' });
    await putTemplate('gone', { title: 'x', body: '{% block "rare" %}' });
    await api.request('DELETE', 'templates/gone', { headers });

    expect((await putBlock('rare', { text: 'y' })).body).toMatchObject({ usedBy: [] });
    expect((await api.request('GET', 'templates/gone', { headers })).status).toBe(404);
    expect((await api.request('DELETE', 'blocks/rare', { headers })).status).toBe(204);
    expect(await get('blocks/rare/versions')).toMatchObject({ items: [{}, {}] });
  });
});

describe('a campaign', () => {
  const send = async (more: object) => {
    const body = { recipients: ['ada', 'bob'], channel: 'EMAIL', template: 'kept', ...more };
    return (await api.request('POST', 'campaigns', { headers, body })).body;
  };
  const wordsOf = async (campaignId: unknown) => {
    const { body } = await api.request<{ message: unknown }>(
      'POST',
      `campaigns/${String(campaignId)}/render`,
      { headers, body: { customUserId: 'ada' } },
    );
    return body.message;
  };

  test('keeps what its blocks said when it was sent, also if it begins later', async () => {
    await registerUsers(db, api.tenant.applicationId, { bob: { firstName: 'Bob' } });
    await putBlock('kept', { html: '<p>Before</p>' });
    await putTemplate('kept', { title: 'Hi', body: '<p>Hi</p>{% block "kept" %}' });
    const running = await send({});
    const scheduled = await send({ sendAt: Date.now() + 3_600_000 });

    await putBlock('kept', { html: '<p>After {{ user.city }}</p>' });
    const later = await send({});
    const named = await send({ template: 'kept@1' });

    const before = { title: 'Hi', body: '<p>Hi</p><p>Before</p>' };
    for (const { campaignId } of [running, scheduled, named])
      expect(await wordsOf(campaignId)).toEqual(before);
    expect(await wordsOf(later['campaignId'])).toEqual({
      title: 'Hi',
      body: '<p>Hi</p><p>After Ulm</p>',
    });
  });

  test('is tried with the variables of its blocks', async () => {
    expect(await send({ dryRun: true })).toMatchObject({ unrenderable: { 'user.city': 1 } });
  });
});

test('a page of large blocks ends early, and the next one goes on', async () => {
  const text = '🙂'.repeat(LIMITS.blockCharsMax);
  for (let index = 0; index < 34; index += 1)
    await db.sql.query(
      `insert into template_blocks (application_id, slug, name, content, version, updated_by)
       values ($1, $2, $2, $3, 1, 'test')`,
      [api.tenant.applicationId, `z-${10 + index}`, JSON.stringify({ text })],
    );

  const first = await get('blocks?cursor=z');
  const second = await get(`blocks?cursor=${String(first['nextCursor'])}`);

  expect(first['items']).toHaveLength(31);
  expect(second).toMatchObject({ items: [{}, {}, {}], nextCursor: null });
  await db.sql.query(`delete from template_blocks where slug like 'z-%'`);
});
