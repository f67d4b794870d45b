import { afterAll, describe, expect, test } from '@jest/globals';
import { runNextRehearsal } from '@tidings/automation-rehearsal/run-rehearsal';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { systemClock } from '@tidings/platform';
import { configureEmail, eventually, registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, db, tenant } = api;
const { applicationId } = tenant;
const ofCart = { kind: 'action', name: 'cartd' };
await createDefinition(db, { applicationId, ...ofCart, kind: 'action' });
await configureEmail(db, applicationId);
await registerUsers(db, applicationId, ['ada']);

const mail = (id: string) => ({
  id,
  send: { channel: 'EMAIL', message: { title: 'Still there?', body: 'Your cart waits.' } },
});
const cart = (overrides: object = {}) => ({
  version: 1,
  name: 'Abandoned cart',
  purpose: 'marketing',
  trigger: { event: ofCart },
  entry: { again: 'always' },
  nodes: [{ id: 'hour', delay: '1h' }, mail('mail1')],
  ...overrides,
});
const put = (slug: string, body: object = cart()) =>
  api.request('PUT', `automations/${slug}`, { headers, body });
const post = (path: string, body?: object) =>
  api.request('POST', `automations/${path}`, { headers, ...(body && { body }) });
const get = (path: string) => api.request('GET', `automations/${path}`, { headers });

describe('an automation', () => {
  test('is a draft until it is activated; equal content changes nothing', async () => {
    const created = await put('draft');
    const again = await put('draft');
    const changed = await put('draft', cart({ name: 'Cart', expectedVersion: 1 }));

    expect(created).toMatchObject({
      status: 200,
      body: { status: 'draft', draftVersion: 1, liveVersion: null, hasChanges: false, live: null },
    });
    expect(again.body).toMatchObject({ draftVersion: 1 });
    expect(changed.body).toMatchObject({ draftVersion: 2, name: 'Cart', draft: { name: 'Cart' } });
    expect((await put('draft', cart({ name: 'Late', expectedVersion: 1 }))).status).toBe(409);
  });

  test('is activated, paused, resumed, stopped and deleted', async () => {
    await put('life');

    const steps = [
      await post('life/activate', { inFlight: 'keep' }),
      await post('life/pause'),
      await post('life/resume', { missedSends: 'skip' }),
      await post('life/stop', { runs: 'end' }),
    ];
    const listed = await get('?limit=100');

    expect(steps.map(({ status, body }) => [status, (body as { status: string }).status])).toEqual([
      [200, 'active'],
      [200, 'paused'],
      [200, 'active'],
      [200, 'stopped'],
    ]);
    expect((listed.body as { items: object[] }).items).toContainEqual(
      expect.objectContaining({ slug: 'life', channels: ['EMAIL'], entered: 0, active: 0 }),
    );
    expect((await api.request('DELETE', 'automations/life', { headers })).status).toBe(204);
    expect((await get('life')).status).toBe(404);
  });

  test('that changes has versions, and draft and live differ until the next activation', async () => {
    await put('versions');
    await post('versions/activate', {});
    const edited = await put('versions', cart({ name: 'Second' }));
    const second = await post('versions/activate', {});

    expect(edited.body).toMatchObject({ hasChanges: true, live: { name: 'Abandoned cart' } });
    expect(second.body).toMatchObject({ hasChanges: false, liveVersion: 2 });
    expect((await get('versions/versions')).body).toMatchObject({
      items: [
        { version: 2, definition: { name: 'Second' } },
        { version: 1, definition: { name: 'Abandoned cart' } },
      ],
      nextCursor: null,
    });
  });
});

describe('a run that the API asks for', () => {
  test('is stored before the answer, once for each Idempotency-Key', async () => {
    await put('called', cart({ trigger: { api: true } }));
    await post('called/activate', {});
    const start = (key: string, body: object = { customUserId: 'ada', data: { price: 42 } }) =>
      api.request('POST', 'automations/called/runs', {
        headers: { ...headers, 'idempotency-key': key },
        body,
      });

    const first = await start('one');
    const repeated = await start('one');
    const { runId } = first.body as { runId: string };

    expect(first.status).toBe(202);
    expect(repeated).toMatchObject({ status: 202, body: { runId } });
    expect((await start('one', { customUserId: 'ada' })).status).toBe(409);
    expect((await start('two')).status).toBe(409);
    expect((await start('two', { customUserId: 'ada', key: 'b' })).status).toBe(202);
    expect((await get(`called/runs/${runId}`)).body).toMatchObject({
      runId,
      customUserId: 'ada',
      status: 'active',
      trace: [],
    });
    expect((await get('called/runs?customUserId=ada')).body).toMatchObject({
      items: [{ key: 'b' }, { key: '' }],
    });
    expect((await get('called/users/ada')).body).toMatchObject({ triggers: [] });
    expect((await get('called/report')).body).toMatchObject({
      entered: 0,
      nodes: [{ id: 'hour' }, { id: 'mail1' }],
    });
  });
});

describe('a rehearsal', () => {
  test('is asked for, recorded, and read once the scheduler has run it', async () => {
    await put('tried');
    const now = Date.now();
    // Without an end it ends now, by the clock of the service.
    const body = { from: now - 86_400_000 };

    const asked = await post('tried/rehearse', body);
    const again = await post('tried/rehearse', body);
    const { rehearsalId } = asked.body as { rehearsalId: string };
    const read = () => api.request('GET', `rehearsals/${rehearsalId}`, { headers });
    const before = await read();

    expect(asked.status).toBe(202);
    expect(again.status).toBe(409);
    expect(before.body).toMatchObject({ slug: 'tried', status: 'running', traces: [] });
    // Other files leave rehearsals in the same database, which come first.
    await eventually(async () => {
      await runNextRehearsal(db, { clock: systemClock, signal: new AbortController().signal });
      expect((await read()).body).toMatchObject({
        status: 'completed',
        ...body,
        definition: { name: 'Abandoned cart' },
        nodes: [{ id: 'hour', entered: 0 }, { id: 'mail1' }],
      });
    });
    const { to, createdAt } = (await read()).body as { to: number; createdAt: number };
    expect(Math.abs(to - createdAt)).toBeLessThan(1_000);
    expect(to).toBeGreaterThanOrEqual(now - 1_000);
  });

  test('of a definition that is wrong is refused below its name', async () => {
    await put('tried');
    const to = Date.now() + 60_000;

    expect(
      await post('tried/rehearse', { from: 0, to, definition: cart({ nodes: [] }) }),
    ).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/to' }, { pointer: '/definition/nodes' }] },
    });
    expect((await post('none/rehearse', { from: 0, to: 1 })).status).toBe(404);
    expect(
      (await api.request('GET', 'rehearsals/01a1fda0-84a5-72c8-802b-8cdeabd134bc', { headers }))
        .status,
    ).toBe(404);
  });
});
