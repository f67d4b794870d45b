import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { lockSegments } from '@tidings/segments/segments';
import { configureChannel, registerUsers } from '@tidings/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApi } from '../../testing/test-api.ts';

const NOW = Date.now();
const MINUTE = 60_000;
const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers } = api;

/** Who did what, in minutes before now. */
const DONE: readonly (readonly [customUserId: string, slug: string, minutes: number])[] = [
  ['ada', 'viewd', 300],
  ['ada', 'order', 290],
  ['bob', 'viewd', 300],
  ['dan', 'viewd', 10],
];
beforeAll(async () => {
  await registerUsers(db, tenant.applicationId, { ada: {}, bob: {}, dan: {} });
  await configureChannel(db, tenant.applicationId, 'EMAIL');
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     select $1, slug, 'action', slug, 'auto' from unnest(array['viewd', 'order']) slug`,
    [tenant.applicationId],
  );
  for (const [customUserId, slug, minutes] of DONE)
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
         time, received_at)
       select gen_random_uuid(), 0, $1, u.id, 'm', 'action', $3, $4, now()
       from users u where u.application_id = $1 and u.custom_user_id = $2`,
      [tenant.applicationId, customUserId, slug, NOW - minutes * MINUTE],
    );
});

const funnel = { name: 'Buying', steps: [{ event: 'viewd' }, { event: 'order' }], window: '1h' };
const condition = { funnel: 'buying', state: 'dropped', step: 1, within: '30d' };
const call = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object) =>
  api.request(method, path, { headers, ...(body !== undefined && { body }) });
const putFunnel = (slug = 'buying', changes: object = {}) =>
  call('PUT', `funnels/${slug}`, { ...funnel, ...changes });
const putSegment = (slug: string, asked: object = condition) =>
  call('PUT', `segments/${slug}`, { name: slug, condition: asked });

describe('a segment of who dropped out of a funnel', () => {
  beforeAll(async () => {
    await putFunnel();
    await putSegment('lost');
  });

  test('has as many as the number of the funnel, its people, and says why', async () => {
    const { body: result } = await call('GET', 'funnels/buying/result');
    const { body: people } = await call('GET', 'funnels/buying/users?state=dropped');

    expect(result).toMatchObject({ steps: [{ users: 3, dropped: 1, open: 1 }, { users: 1 }] });
    expect((await call('GET', 'segments/lost/count')).body).toMatchObject({ count: 1 });
    expect((await call('GET', 'segments/lost/users')).body).toEqual(people);
    expect((await call('POST', 'segments/preview', { condition })).body).toMatchObject({
      estimate: { count: 1, isExact: true },
      sample: ['bob'],
    });
    expect((await call('GET', 'segments/lost/users/dan')).body).toMatchObject({
      isMember: false,
      tree: [{ key: 'funnel', evidence: { reached: 1, state: 'open' } }],
    });
    expect((await call('GET', 'users/bob/segments')).body).toMatchObject({
      items: [{ slug: 'lost', isMember: true }],
    });
  });

  test('is what a question about the funnel may be about', async () => {
    const { steps, window } = funnel;
    const asked = { steps, window, from: NOW - 400 * MINUTE, to: NOW };

    expect(
      (await call('POST', 'funnels/result', { ...asked, segment: 'lost' })).body,
    ).toMatchObject({ steps: [{ users: 1 }, { users: 0 }] });
    expect((await call('POST', 'funnels/users', { ...asked, segment: 'lost' })).body).toMatchObject(
      { items: [{ customUserId: 'bob' }], nextCursor: null },
    );
  });

  test('gets a message: a dry run counts it', async () => {
    const { status, body } = await call('POST', 'campaigns', {
      segment: 'lost',
      channel: 'EMAIL',
      message: { title: 'x', body: 'y' },
      dryRun: true,
    });

    expect([status, body]).toMatchObject([200, { recipients: { segment: 'lost', count: 1 } }]);
  });
});

test.each([
  [{ funnel: 'nosuch' }, '/condition/funnel invalid_value'],
  [{ step: 2 }, '/condition/step out_of_range'],
  [{ state: 'lost' }, '/condition/state invalid_value'],
  [{ within: '0d' }, '/condition/within invalid_value'],
  [{ within: '401d' }, '/condition/within out_of_range'],
])('a condition with %j', async (changes, fault) => {
  await putFunnel();

  const { status, problem } = await putSegment('bad', { ...condition, ...changes });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
});

describe('what names a funnel', () => {
  const used = { ...condition, funnel: 'used' };
  const uses = async () => (await call('GET', 'funnels/used/uses')).body;
  const remove = () => call('DELETE', 'funnels/used');

  test('keeps it from being deleted, and is listed', async () => {
    await putFunnel('used');
    expect(await uses()).toEqual({ segments: [], templates: [], automations: [], campaigns: [] });
    await putSegment('naming', { not: { any: [used] } });
    await call('PUT', 'templates/code', {
      name: 'Code',
      channel: 'SMS',
      message: { body: 'x' },
      variants: [{ name: 'x', condition: used, message: { body: 'y' } }],
    });
    await call('PUT', 'automations/welcome', {
      version: 1,
      name: 'Welcome',
      purpose: 'transactional',
      trigger: { event: 'viewd' },
      filter: used,
      nodes: [{ id: 'hour', delay: '1h' }],
    });
    const { body: campaign } = await call('POST', 'campaigns', {
      segment: { condition: used },
      channel: 'EMAIL',
      message: { title: 'x', body: 'y' },
      sendAt: NOW + 60 * MINUTE,
    });
    const campaignId = String(campaign['campaignId']);

    expect(await uses()).toEqual({
      segments: [{ slug: 'naming', name: 'naming' }],
      templates: [{ slug: 'code', name: 'Code' }],
      automations: [{ slug: 'welcome', name: 'Welcome' }],
      campaigns: [campaignId],
    });
    expect((await call('GET', 'funnels/used')).body).toMatchObject({ usedBy: ['naming'] });
    const refused = await remove();
    expect(refused.status).toBe(409);
    for (const name of ['naming', 'code', 'welcome', campaignId])
      expect(refused.problem.detail).toContain(name);

    const changed = await putFunnel('used', { window: '2h' });
    expect(changed.body).toMatchObject({
      version: 2,
      warnings: [{ code: 'in_use', pointer: '/steps', detail: expect.stringContaining('naming') }],
    });
    // A name changes no answer.
    expect((await putFunnel('used', { window: '2h', name: 'Other' })).body).toMatchObject({
      version: 3,
      warnings: [],
    });

    await call('DELETE', 'segments/naming');
    await call('DELETE', 'templates/code');
    await call('DELETE', 'automations/welcome');
    expect((await remove()).status).toBe(409);
    await call('POST', `campaigns/${campaignId}/cancel`);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect((await call('GET', 'funnels/used/uses')).status).toBe(404);
  });

  test('is not stored while the funnel is deleted', async () => {
    await putFunnel('raced');

    const { deleting } = await db.transaction(async (sql) => {
      await lockSegments(sql, tenant.applicationId);
      const asked = call('DELETE', 'funnels/raced');
      // Without the lock it would be deleted by then.
      await Promise.race([asked, sleep(500)]);
      await sql.query(
        `insert into segments (application_id, slug, name, condition, version, updated_by)
         values ($1, 'raced', 'Raced', $2, 1, 'test')`,
        [tenant.applicationId, JSON.stringify({ ...condition, funnel: 'raced' })],
      );
      return { deleting: asked };
    });

    expect((await deleting).status).toBe(409);
  });
});
