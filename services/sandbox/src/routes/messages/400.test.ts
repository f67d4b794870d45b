import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test.each([
  { query: 'channel=email', pointer: '/channel', code: 'invalid_value' },
  { query: 'limit=0', pointer: '/limit', code: 'out_of_range' },
  { query: 'limit=501', pointer: '/limit', code: 'out_of_range' },
  { query: 'limit=many', pointer: '/limit', code: 'wrong_type' },
  { query: 'to=a@b.example&to=c@d.example', pointer: '/to', code: 'wrong_type' },
])('$query is refused at $pointer', async ({ query, pointer, code }) => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', `/api/messages?${query}`);

  expect(response.status).toBe(400);
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer, code }],
  });
});
