import { expect, test } from '@jest/globals';
import { SERVER_HEADERS, startTestGateway } from '../../testing/test-gateway.ts';

const body = '{"recipients":["u1"],"channel":"SMS","message":{"body":"b"}}';

test.each([
  ['another type', { 'Content-Type': 'text/plain' }],
  ['another charset', { 'Content-Type': 'application/json; charset=utf-16' }],
  ['another encoding', { 'Content-Encoding': 'zstd' }],
])('%s', async (_what, headers) => {
  await using gateway = await startTestGateway();

  const { status, problem } = await gateway.post(body, {
    path: '/push',
    headers: { ...SERVER_HEADERS, ...headers },
  });

  expect([status, problem.code]).toEqual([415, 'unsupported_media_type']);
  expect(gateway.announced).toEqual([]);
});
