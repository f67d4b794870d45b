import { expect, test } from '@jest/globals';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('active faults are listed in order, with their number of affected requests', async () => {
  await using sandbox = await startTestSandbox();
  await sandbox.request('POST', '/api/faults', {
    channel: 'EMAIL',
    kind: 'delay',
    rate: 1,
    delayMs: 0,
  });
  await sandbox.request('POST', '/api/faults', { channel: 'EMAIL', kind: 'reset', rate: 0 });
  await sandbox.send(campaignMail('ann@example.com', 'c1', 'd1'));

  const response = await sandbox.request('GET', '/api/faults');

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    faults: [
      { kind: 'delay', struck: 1 },
      { kind: 'reset', struck: 0 },
    ],
  });
});

test.each([
  { kind: 'delay', delayMs: 1500 },
  { kind: 'reject' },
  { kind: 'reject', status: 450, code: '4.2.1' },
  { kind: 'status', status: 421, retryAfterSeconds: 30 },
  { kind: 'drop_reply' },
  { kind: 'reset' },
  { kind: 'drop_reply', channel: 'ON_SITE' },
])('the fault $kind is created as requested, with an id', async (asked) => {
  await using sandbox = await startTestSandbox();
  const fault = { channel: 'EMAIL', rate: 0.5, ...asked };

  const response = await sandbox.request('POST', '/api/faults', fault);

  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ ...fault, id: expect.any(String), struck: 0 });
});

test('after its faults are removed, the provider works normally', async () => {
  await using sandbox = await startTestSandbox();
  await sandbox.request('POST', '/api/faults', { channel: 'EMAIL', kind: 'reject', rate: 1 });

  const response = await sandbox.request('DELETE', '/api/faults');

  expect(response.status).toBe(204);
  expect(await (await sandbox.request('GET', '/api/faults')).json()).toEqual({ faults: [] });
  expect((await sandbox.send(campaignMail('ann@example.com', 'c1', 'd1'))).response).toMatch(
    /^250 /,
  );
});

const reset = { channel: 'EMAIL', kind: 'reset', rate: 1 };

test.each([
  {
    what: 'an unknown channel',
    body: { ...reset, channel: 'FAX' },
    errors: [{ pointer: '/channel', code: 'invalid_value' }],
  },
  {
    what: 'a reject fault of an inbox channel',
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
    what: 'a status that is not an error',
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
  { what: 'null', body: [], errors: [{ pointer: '', code: 'wrong_type' }] },
  {
    what: 'an empty object',
    body: {},
    errors: ['/channel', '/kind', '/rate'].map((pointer) => ({ pointer, code: 'required' })),
  },
])('$what is rejected with its pointer', async ({ body, errors }) => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('POST', '/api/faults', body);

  expect(response.status).toBe(400);
  const problem = (await response.json()) as { readonly errors: unknown };
  expect(problem.errors).toEqual(errors.map((error) => expect.objectContaining(error)));
  expect(await (await sandbox.request('GET', '/api/faults')).json()).toEqual({ faults: [] });
});

test('a fault cannot be changed; faults can only be added, or removed all together', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('PATCH', '/api/faults', {});

  expect(response.status).toBe(405);
  expect(response.headers.get('Allow')).toBe('GET, POST, DELETE');
});

test('a form of another site cannot set a fault: only JSON is accepted', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('POST', '/api/faults');

  expect(response.status).toBe(415);
});
