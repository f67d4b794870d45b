import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SERVER_HEADERS, startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

const LIMIT = 8 * 1024 * 1024;
const text = '{"recipients":["u1"],"channel":"SMS","message":{"body":"b"}}';
const padded = (bytes: number) => text + ' '.repeat(bytes - text.length);

test('a body of exactly 8 MiB is accepted, one byte more is not', async () => {
  const push = async (body: string | Buffer, headers = {}) =>
    (await gateway.post(body, { path: '/push', headers: { ...SERVER_HEADERS, ...headers } }))
      .status;

  expect(await push(padded(LIMIT))).toBe(200);
  expect(await push(padded(LIMIT + 1))).toBe(413);
  expect(await push(gzipSync(padded(LIMIT + 1)), { 'Content-Encoding': 'gzip' })).toBe(413);
});
