import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { configureEmail } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, db, tenant } = api;
const { applicationId } = tenant;
beforeAll(async () => {
  await createDefinition(db, { applicationId, name: 'cartd', kind: 'action' });
  await configureEmail(db, applicationId);
});

const cart = (overrides: object = {}) => ({
  version: 1,
  name: 'Abandoned cart',
  purpose: 'marketing',
  trigger: { event: { kind: 'action', name: 'cartd' } },
  nodes: [{ id: 'hour', delay: '1h' }],
  ...overrides,
});
const put = (slug: string, body: object = cart()) =>
  api.request('PUT', `automations/${slug}`, { headers, body });
const act = (path: string, body: object = {}) =>
  api.request('POST', `automations/${path}`, { headers, body });
const remove = (path: string) => api.request('DELETE', path, { headers });

test('what the status does not allow', async () => {
  await put('life');

  expect((await act('life/pause')).status).toBe(409);
  expect((await act('life/resume')).status).toBe(409);
  expect((await act('life/stop')).status).toBe(409);
  await act('life/activate');
  expect((await act('life/activate')).problem.detail).toContain('does not differ');
  expect((await act('life/resume')).status).toBe(409);
  expect((await remove('automations/life')).status).toBe(409);
  await act('life/pause');
  expect((await act('life/activate')).problem.detail).toContain('paused');
  expect((await act('life/runs', { customUserId: 'ada' })).problem.detail).toContain('trigger');
});

test('a segment that a filter or a condition names is not deleted', async () => {
  for (const slug of ['filtered', 'asked'])
    await api.request('PUT', `segments/${slug}`, {
      headers,
      body: { name: slug, condition: { field: 'country', is: 'DE' } },
    });
  await put(
    'naming',
    cart({
      filter: { segment: 'filtered' },
      nodes: [{ id: 'b', if: { not: { segment: 'asked' } }, ['then' as const]: [], else: [] }],
    }),
  );

  for (const slug of ['filtered', 'asked']) {
    expect((await remove(`segments/${slug}`)).problem.detail).toContain('naming');
    expect((await api.request('GET', `segments/${slug}/uses`, { headers })).body).toMatchObject({
      automations: [{ slug: 'naming', name: 'Abandoned cart' }],
    });
  }
  await remove('automations/naming');
  expect((await remove('segments/asked')).status).toBe(204);
});

test('a template that an automation sends is not deleted, also while only those in it get it', async () => {
  await api.request('PUT', 'templates/cart-1', {
    headers,
    body: { name: 'Cart', channel: 'EMAIL', message: { title: 'Hello', body: 'Text' } },
  });
  await put(
    'sending',
    cart({ nodes: [{ id: 'm', send: { channel: 'EMAIL', template: 'cart-1' } }] }),
  );
  await act('sending/activate');
  await put('sending', cart());

  expect((await remove('templates/cart-1')).problem.detail).toContain('sending');
  await act('sending/activate');
  // Someone is still in the version that sends it.
  const { rows } = await db.sql.query<{ id: string }>(
    `insert into automation_runs (application_id, automation_id, version, user_id, shard, trigger_time)
     select application_id, id, 1, uuidv7(), 0, 0 from automations where application_id = $1 and slug = 'sending'
     returning id`,
    [applicationId],
  );
  expect((await remove('templates/cart-1')).status).toBe(409);
  await db.sql.query(
    `update automation_runs set ended_at = now(), status = 'completed' where id = $1`,
    [rows[0]?.id],
  );
  expect((await remove('templates/cart-1')).status).toBe(204);
});
