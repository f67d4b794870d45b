import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, asAdmin: headers } = api;

test('POST webhooks creates an endpoint with a secret, shown once and stored encrypted', async () => {
  const body = {
    url: 'https://Hooks.Example:443/a?c',
    description: 'orders',
    kinds: ['message.failed'],
    channels: ['EMAIL', 'SMS'],
  };

  const answer = await api.request('POST', 'webhooks', { headers, body });

  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    ...body,
    url: 'https://hooks.example/a?c',
    id: expect.any(String),
    status: 'enabled',
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    previousSecretUntil: null,
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
    secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
  });
  const { rows } = await db.sql.query<{ row: string }>(
    'select e::text as row from webhook_endpoints e where id = $1',
    [answer.body['id']],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.row).not.toContain(String(answer.body['secret']).slice('whsec_'.length));
});
