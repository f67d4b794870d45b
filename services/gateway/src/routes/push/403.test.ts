import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  CLIENT_HEADERS,
  OTHER_APPLICATION_ID,
  SERVER_HEADERS,
  databaseThat,
  startTestGateway,
  type TestGateway,
} from '../../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    db: databaseThat(() => Promise.reject(new Error('nothing may be stored'))),
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

test.each(['{', '{"recipients":["u1"],"channel":"EMAIL","message":{"body":"b"}}'])(
  'a Client key may not send any body: %s',
  async (body) => {
    const { status, problem } = await gateway.post(body, {
      path: '/push',
      headers: CLIENT_HEADERS,
    });

    expect([status, problem.code]).toEqual([403, 'client_key_forbidden']);
  },
);

test('a wrong key gets the same response as at /', async () => {
  const headers = { ...SERVER_HEADERS, 'X-API-Key': 'sk_wrong' };

  const [push, ingest] = [
    await gateway.post('{', { path: '/push', headers }),
    await gateway.post('{', { headers }),
  ];

  expect(push.status).toBe(403);
  expect({ ...push.problem, requestId: '' }).toEqual({ ...ingest.problem, requestId: '' });
});

test('a Client key with another application is wrong, not known as a Client key', async () => {
  const { problem } = await gateway.post('{', {
    path: '/push',
    headers: { ...CLIENT_HEADERS, 'X-Application-Id': OTHER_APPLICATION_ID },
  });

  expect(problem.code).toBe('forbidden');
});
