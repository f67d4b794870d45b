import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test.each([
  { kind: 'delay', delayMs: 1500 },
  { kind: 'reject' },
  { kind: 'reject', status: 450, code: '4.2.1' },
  { kind: 'status', status: 421, retryAfterSeconds: 30 },
  { kind: 'drop_reply' },
  { kind: 'reset' },
  { kind: 'drop_reply', channel: 'ON_SITE' },
])('the fault $kind is made as asked, with an id', async (asked) => {
  await using sandbox = await startTestSandbox();
  const fault = { channel: 'EMAIL', rate: 0.5, ...asked };

  const response = await sandbox.request('POST', '/api/faults', fault);

  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ ...fault, id: expect.any(String), struck: 0 });
});
