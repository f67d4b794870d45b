import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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

const text = JSON.stringify(batchWith());

test.each([
  'text/plain',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/vnd.api+json',
  'application/jsonp',
  'text/json',
  'application/json; charset=utf-16',
  'application/json; charset=utf-16le',
  'application/json; charset=utf-7',
  'application/json; charset=latin1',
  'application/json; charset="iso-8859-1"',
  'application/json; charset=bogus',
  'json',
])('Content-Type %s', async (type) => {
  const { status, problem } = await gateway.post(text, {
    headers: { ...SERVER_HEADERS, 'Content-Type': type },
  });

  expect([status, problem.code]).toEqual([415, 'unsupported_media_type']);
});

test('no Content-Type', async () => {
  const { 'Content-Type': _, ...headers } = SERVER_HEADERS;

  expect((await gateway.post(Buffer.from(text), { headers })).status).toBe(415);
});

test.each(['zstd', 'compress', 'gzip, gzip', 'gzip,br', 'x-gzip', 'utf-8', 'toString', '*'])(
  'Content-Encoding %s',
  async (encoding) => {
    const { status, problem } = await gateway.post(gzipSync(text), {
      headers: { ...SERVER_HEADERS, 'Content-Encoding': encoding },
    });

    expect([status, problem.code]).toEqual([415, 'unsupported_media_type']);
  },
);

test('the type is checked before the body is read', async () => {
  const { status } = await gateway.post('{', {
    headers: { ...SERVER_HEADERS, 'Content-Type': 'application/json; charset=utf-16' },
  });

  expect(status).toBe(415);
});
