import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import {
  SERVER_HEADERS,
  batchWith,
  startTestGateway,
  type TestGateway,
} from './testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe('addresses', () => {
  test.each([
    '/nothing',
    '/PUSH',
    '/V1',
    '/v1/x',
    '/push/x',
    '/v2/push',
    '/healthz',
    '/metrics',
    '/api/v1/campaigns',
  ])('%s is 404, also with a right key', async (path) => {
    const { status, headers, problem } = await gateway.post(batchWith(), { path });

    expect([status, problem.code]).toEqual([404, 'not_found']);
    expect(headers.get('X-Request-Id')).toBe(problem.requestId);
  });

  const INGEST = { paths: ['/', '/v1', '/v1/'], allow: 'POST, OPTIONS' };
  const PUSH = { paths: ['/push', '/v1/push', '/push/'], allow: 'POST' };

  test.each([
    ...['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
      [INGEST, PUSH].map((where) => ({ method, ...where })),
    ),
    // Pages do not send campaigns, so no preflight is needed.
    { method: 'OPTIONS', ...PUSH },
  ])(
    '$method of $paths is 405, before the credentials are looked at',
    async ({ method, paths, allow }) => {
      const answers = await Promise.all(paths.map((path) => fetch(gateway.url + path, { method })));

      for (const answer of answers) {
        expect(answer.status).toBe(405);
        expect(answer.headers.get('Allow')).toBe(allow);
        expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
        expect((await answer.text()).includes('"method_not_allowed"')).toBe(method !== 'HEAD');
      }
    },
  );

  test('a large body to a wrong address does not cost its answer', async () => {
    for (let round = 0; round < 10; round += 1) {
      expect((await gateway.post('x'.repeat(8 * 1024 * 1024), { path: '/nothing' })).status).toBe(
        404,
      );
    }
  });
});

describe('bodies that come otherwise than expected', () => {
  const send = (headers: Readonly<Record<string, string>>) => {
    const call = request(gateway.url, {
      method: 'POST',
      headers: { ...SERVER_HEADERS, ...headers },
    });
    call.on('error', () => undefined);
    return call;
  };
  const answerTo = async (call: ReturnType<typeof send>) => {
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: JSON.parse(await readText(response)) as unknown };
  };

  test('one that waits for 100-continue gets it and is accepted', async () => {
    const call = send({ Expect: '100-continue' });
    call.flushHeaders();

    await once(call, 'continue');
    call.end(JSON.stringify(batchWith()));

    expect(await answerTo(call)).toMatchObject({ status: 200 });
  });

  test('one that arrives byte by byte is accepted', async () => {
    const call = send({});
    for (const byte of JSON.stringify(batchWith())) call.write(byte);
    call.end();

    expect(await answerTo(call)).toMatchObject({ status: 200 });
  });

  test('one that ends in the middle leaves nothing behind', async () => {
    const records = gateway.records.length;
    const call = send({ 'Content-Length': '1000' });
    await new Promise<void>((resolve) => void call.write('{"messages":', () => resolve()));

    call.destroy();

    await eventually(async () => expect((await gateway.post(batchWith())).status).toBe(200));
    expect(gateway.records).toHaveLength(records + 1);
    expect(gateway.logLines).toEqual([]);
  });

  test('none at all is 400', async () => {
    const call = send({ 'Content-Length': '0' });
    call.end();

    expect(await answerTo(call)).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
  });
});
