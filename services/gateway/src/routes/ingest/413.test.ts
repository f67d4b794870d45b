import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BusRejectedError } from '@tidings/bus';
import {
  SERVER_HEADERS,
  batchWith,
  startTestGateway,
  stopAfterRejections,
  type TestGateway,
} from '../../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => stopAfterRejections(gateway));

const LIMIT = 1024 * 1024;
const text = JSON.stringify(batchWith());
const padded = (bytes: number) => text + ' '.repeat(bytes - text.length);

describe('a body that is too large', () => {
  test.each([
    ['by one byte', padded(LIMIT + 1), {}],
    ['by far', padded(20 * LIMIT), {}],
    ['by one byte when decompressed', gzipSync(padded(LIMIT + 1)), { 'Content-Encoding': 'gzip' }],
    ['as a bomb of gzip', gzipSync(Buffer.alloc(100 * LIMIT)), { 'Content-Encoding': 'gzip' }],
    [
      'as a bomb of brotli',
      brotliCompressSync(Buffer.alloc(50 * LIMIT)),
      { 'Content-Encoding': 'br' },
    ],
    [
      'as a bomb of deflate',
      deflateSync(Buffer.alloc(50 * LIMIT)),
      { 'Content-Encoding': 'deflate' },
    ],
    ['as sent, for any decompressed size', Buffer.alloc(LIMIT + 1), { 'Content-Encoding': 'gzip' }],
    ['before its type is looked at', padded(LIMIT + 1), { 'Content-Type': 'text/plain' }],
  ])('%s', async (_how, body, headers) => {
    const { status, problem } = await gateway.post(body, {
      headers: { ...SERVER_HEADERS, ...headers },
    });

    expect([status, problem.code]).toEqual([413, 'payload_too_large']);
  });

  test.each([
    ['plain', {}, Buffer.alloc(64 * 1024, ' ')],
    ['compressed to almost nothing', { 'Content-Encoding': 'gzip' }, gzipSync('')],
  ])(
    'is rejected while it still comes in chunks without an end: %s',
    async (_how, headers, chunk) => {
      const call = request(gateway.url, {
        method: 'POST',
        headers: { ...SERVER_HEADERS, ...headers },
      });
      call.on('error', () => undefined);
      const answered = once(call, 'response') as Promise<[IncomingMessage]>;
      let isAnswered = false;
      const send = (): void => {
        if (!isAnswered)
          call.write(Buffer.concat(Array.from({ length: 64 }, () => chunk)), () =>
            setImmediate(send),
          );
      };
      send();

      const [response] = await answered;
      isAnswered = true;

      expect(response.statusCode).toBe(413);
      response.resume();
      call.destroy();
    },
  );
});

test('a batch that the broker rejects as too large is 413, for to send it again is of no use', async () => {
  await using refusing = await startTestGateway({
    append: () => Promise.reject(new BusRejectedError('the record is too large')),
  });

  const { status, problem } = await refusing.post(batchWith());

  expect([status, problem.code]).toEqual([413, 'payload_too_large']);
});
