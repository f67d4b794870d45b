import { AppError, createLogger, type HttpServer, isUuid, listen } from '@tidings/platform';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { RequestHandler } from 'express';
import { createApp, finishApp, mountRoute } from './app.ts';
import { toAppError } from './error-answer.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(
  handler: RequestHandler,
): Promise<{ readonly url: string; readonly lines: string[] }> {
  const lines: string[] = [];
  const app = createApp();
  mountRoute(app, ['/things', '/v1/things'], { GET: [handler], POST: [handler] });
  finishApp(app, createLogger('test', 'info', { write: (line: string) => void lines.push(line) }));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  servers.push(server);
  return { url: server.url, lines };
}

const answerOk: RequestHandler = (_req, res) => void res.json({ ok: true });
const fail =
  (error: unknown): RequestHandler =>
  () => {
    throw error;
  };

describe('every answer', () => {
  test.each([
    ['200', '/things', 'GET'],
    ['404', '/nothing', 'GET'],
    ['404', '/THINGS', 'GET'],
    ['404', '//', 'GET'],
    ['404', '/%E0%A4%A', 'GET'],
    ['405', '/things', 'DELETE'],
  ])('%s has a request id of its own and the version: %s %s', async (status, path, method) => {
    const { url } = await serve(answerOk);

    const [first, second] = await Promise.all([
      fetch(url + path, { method }),
      fetch(url + path, { method }),
    ]);

    expect(String(first.status)).toBe(status);
    expect(isUuid(first.headers.get('X-Request-Id') ?? '')).toBe(true);
    expect(first.headers.get('X-Request-Id')).not.toBe(second.headers.get('X-Request-Id'));
    expect(first.headers.get('API-Version')).toBe('1');
    expect(first.headers.get('X-Powered-By')).toBeNull();
  });

  test('a problem is an RFC 9457 body with the id of its header', async () => {
    const { url } = await serve(answerOk);

    const response = await fetch(`${url}/nothing`);

    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(await response.json()).toEqual({
      type: 'urn:tidings:error:not_found',
      title: 'Not found',
      status: 404,
      code: 'not_found',
      detail: 'No endpoint exists at this path.',
      requestId: response.headers.get('X-Request-Id'),
    });
  });
});

describe('a method the route does not have', () => {
  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])(
    '%s is 405 and told which there are',
    async (method) => {
      const { url } = await serve(answerOk);

      const response = await fetch(`${url}/v1/things/`, { method });

      expect(response.status).toBe(405);
      expect(response.headers.get('Allow')).toBe('GET, POST');
      expect(await response.json()).toMatchObject({
        code: 'method_not_allowed',
        detail: 'Use GET, POST.',
      });
    },
  );

  test('HEAD is answered as GET, without the body', async () => {
    const { url } = await serve(answerOk);

    const found = await fetch(`${url}/things`, { method: 'HEAD' });
    const missing = await fetch(`${url}/nothing`, { method: 'HEAD' });

    expect([found.status, await found.text()]).toEqual([200, '']);
    expect([missing.status, await missing.text()]).toEqual([404, '']);
  });
});

describe('errors', () => {
  test('an expected one reports code, detail, fields and Retry-After', async () => {
    const errors = Array.from({ length: 101 }, (_, index) => ({
      pointer: `/${index}`,
      code: 'required' as const,
    }));
    const { url, lines } = await serve(
      fail(
        new AppError('unavailable', 'Come back.', {
          errors,
          retryAfterSeconds: 3,
          cause: new Error('canary'),
        }),
      ),
    );

    const response = await fetch(`${url}/things`);

    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('3');
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      code: 'unavailable',
      detail: 'Come back.',
      errors: errors.slice(0, 100),
      errorsTruncated: true,
    });
    expect(text).not.toContain('canary');
    expect(lines).toEqual([]);
  });

  test.each<[string, RequestHandler]>([
    ['an error', fail(new Error('password is canary'))],
    ['an error with a status of 500', fail(Object.assign(new Error('canary'), { status: 500 }))],
    ['a text', fail('canary')],
    ['a rejection', () => Promise.reject(new TypeError('canary'))],
    ['an error given to next', (_req, _res, next) => next(new Error('canary'))],
  ])('an unexpected one is 500 and says nothing of itself: %s', async (_what, handler) => {
    const { url, lines } = await serve(handler);

    const response = await fetch(`${url}/things?secret=canary`);

    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain('canary');
    expect(JSON.parse(text)).toEqual({
      type: 'urn:tidings:error:internal',
      title: 'Internal error',
      status: 500,
      code: 'internal',
      requestId: response.headers.get('X-Request-Id'),
    });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      requestId: response.headers.get('X-Request-Id'),
      path: '/things',
    });
  });

  test('one after the answer has begun ends the connection instead of a second answer', async () => {
    const { url } = await serve((_req, res) => {
      res.write('half');
      throw new Error('too late');
    });

    await expect(fetch(`${url}/things`).then((response) => response.text())).rejects.toThrow();
  });

  test.each([
    [{ type: 'entity.too.large', status: 413 }, 'payload_too_large'],
    [{ type: 'encoding.unsupported', status: 415 }, 'unsupported_media_type'],
    [{ type: 'charset.unsupported', status: 415 }, 'unsupported_media_type'],
    [{ type: 'entity.parse.failed', status: 400 }, 'invalid_json'],
    [{ type: 'request.aborted', status: 400 }, 'invalid_json'],
    [{ status: 404 }, 'not_found'],
    [{ status: 418 }, 'invalid_json'],
    [{ status: 502 }, 'internal'],
    [{ status: '400' }, 'internal'],
  ])('what express throws is mapped: %j', (error, code) => {
    expect(toAppError(error).code).toBe(code);
  });
});
