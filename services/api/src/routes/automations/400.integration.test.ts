import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, db, tenant } = api;
const { applicationId } = tenant;
beforeAll(async () => {
  await createDefinition(db, { applicationId, name: 'cartd', kind: 'action' });
  await api.request('PUT', 'templates/text', {
    headers,
    body: { name: 'Text', channel: 'SMS', message: { body: 'Hello' } },
  });
});

const sending = (send: object) => ({
  version: 1,
  name: 'Cart',
  purpose: 'marketing',
  trigger: { event: { kind: 'action', name: 'cartd' } },
  nodes: [{ id: 'mail1', send }],
});
const put = (body: unknown) =>
  api.request('PUT', 'automations/faulty', { headers, body: body as object });

test.each<readonly [string, unknown, object]>([
  [
    'a template that does not exist',
    sending({ channel: 'SMS', template: 'none' }),
    { pointer: '/nodes/0/send/template', code: 'invalid_value' },
  ],
  [
    'a template of another channel',
    sending({ channel: 'EMAIL', template: 'text' }),
    { pointer: '/nodes/0/send/template', code: 'invalid_value' },
  ],
  [
    'a version that it does not have',
    sending({ channel: 'SMS', template: 'text@7' }),
    { pointer: '/nodes/0/send/template', code: 'invalid_value' },
  ],
  [
    'a message of another channel',
    sending({ channel: 'SMS', message: { title: 'Hello' } }),
    { pointer: '/nodes/0/send/message/body', code: 'required' },
  ],
  [
    'Liquid that does not end',
    sending({ channel: 'SMS', message: { body: 'Hello\n  {{ user.firstName' } }),
    { pointer: '/nodes/0/send/message/body', code: 'template_syntax', line: 2, column: 3 },
  ],
  [
    'a variable that does not exist',
    sending({ channel: 'SMS', message: { body: '{{ user.nope }}' } }),
    { pointer: '/nodes/0/send/message/body', code: 'unknown_variable', line: 1 },
  ],
  [
    'a fault in the second of `try`',
    sending({
      try: [
        { channel: 'SMS', template: 'text' },
        { channel: 'SMS', message: { body: '{% if %}' } },
      ],
    }),
    { pointer: '/nodes/0/send/try/1/message/body', code: 'template_syntax' },
  ],
  [
    'a version that was not seen',
    { ...sending({ channel: 'SMS', template: 'text' }), expectedVersion: -1 },
    { pointer: '/expectedVersion', code: 'out_of_range' },
  ],
  [
    'nodes within nodes, a thousand deep',
    { ...sending({}), nodes: JSON.parse('['.repeat(1_000) + ']'.repeat(1_000)) as unknown },
    { code: 'too_deep' },
  ],
])('%s: nothing is stored', async (_what, body, fault) => {
  const { status, problem } = await put(body);

  expect(status).toBe(400);
  expect(problem.errors).toContainEqual(expect.objectContaining(fault));
  expect((await api.request('GET', 'automations/faulty', { headers })).status).toBe(404);
});

test('a person who is not registered is not entered', async () => {
  await api.request('PUT', 'automations/called', {
    headers,
    body: { ...sending({ channel: 'SMS', template: 'text' }), trigger: { api: true } },
  });
  await api.request('POST', 'automations/called/activate', { headers, body: {} });

  const { status, problem } = await api.request('POST', 'automations/called/runs', {
    headers,
    body: { customUserId: 'nobody' },
  });

  expect(status).toBe(400);
  expect(problem.errors).toEqual([
    { pointer: '/customUserId', code: 'invalid_value', expected: expect.any(String) },
  ]);
});

test('a draft whose template is gone is not activated', async () => {
  const { status } = await put(sending({ channel: 'SMS', template: 'text' }));
  await db.sql.query(
    `update templates set archived_at = now() where application_id = $1 and slug = 'text'`,
    [applicationId],
  );

  const activated = await api.request('POST', 'automations/faulty/activate', { headers, body: {} });

  expect(status).toBe(200);
  expect(activated.problem.errors).toEqual([
    expect.objectContaining({ pointer: '/nodes/0/send/template' }),
  ]);
  expect((await api.request('GET', 'automations/faulty', { headers })).body).toMatchObject({
    status: 'draft',
  });
});
