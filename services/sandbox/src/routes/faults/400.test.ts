import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

const reset = { channel: 'EMAIL', kind: 'reset', rate: 1 };

test.each([
  {
    what: 'an unknown channel',
    body: { ...reset, channel: 'FAX' },
    errors: [{ pointer: '/channel', code: 'invalid_value' }],
  },
  {
    what: 'a device that would refuse what it fetches',
    body: { ...reset, channel: 'IN_APP', kind: 'reject' },
    errors: [{ pointer: '/kind', code: 'invalid_value' }],
  },
  {
    what: 'an unknown kind',
    body: { ...reset, kind: 'explode' },
    errors: [{ pointer: '/kind', code: 'invalid_value' }],
  },
  {
    what: 'a rate above 1',
    body: { ...reset, rate: 1.1 },
    errors: [{ pointer: '/rate', code: 'out_of_range' }],
  },
  {
    what: 'a delay without its length',
    body: { ...reset, kind: 'delay' },
    errors: [{ pointer: '/delayMs', code: 'required' }],
  },
  {
    what: 'a status without its code',
    body: { ...reset, kind: 'status' },
    errors: [{ pointer: '/status', code: 'required' }],
  },
  {
    what: 'a status that is no refusal',
    body: { ...reset, kind: 'status', status: 250 },
    errors: [{ pointer: '/status', code: 'out_of_range' }],
  },
  {
    what: 'a redirect of a mail server',
    body: { ...reset, kind: 'status', status: 354 },
    errors: [{ pointer: '/status', code: 'out_of_range' }],
  },
  {
    what: 'a code with a line break',
    body: { ...reset, kind: 'reject', code: '5.1.1\r\n250' },
    errors: [{ pointer: '/code', code: 'invalid_value' }],
  },
  { what: 'no fault at all', body: [], errors: [{ pointer: '', code: 'wrong_type' }] },
  {
    what: 'an empty object',
    body: {},
    errors: ['/channel', '/kind', '/rate'].map((pointer) => ({ pointer, code: 'required' })),
  },
])('$what is refused with its pointer', async ({ body, errors }) => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('POST', '/api/faults', body);

  expect(response.status).toBe(400);
  const problem = (await response.json()) as { readonly errors: unknown };
  expect(problem.errors).toEqual(errors.map((error) => expect.objectContaining(error)));
  expect(await (await sandbox.request('GET', '/api/faults')).json()).toEqual({ faults: [] });
});
