import { afterAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { systemIds } from '@tidings/platform';
import { apiRoutes } from './server.ts';
import { startTestApi } from './testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const headers = api.asAdmin;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const urlOf = (path: string): string =>
  path.replace(':channel', 'EMAIL').replaceAll(/:\w+/g, () => systemIds.uuid());
const apis = apiRoutes(api.deps);
const paths = [...Map.groupBy(apis, ({ path }) => path)].map(([path, routes]) => ({
  path,
  url: urlOf(path),
  methods: routes.map(({ method }) => method as string),
}));
const { headers: asOwner } = await api.signIn('owner');
const withBody = apis
  .filter(({ body }) => body !== undefined)
  .map(({ method, path, access }) => ({
    name: `${method} ${path}`,
    method,
    url: urlOf(path),
    headers: access === 'member' ? asOwner : api.asAdmin,
  }));

describe('405', () => {
  test.each(paths)('$path, before credentials are looked at', async ({ url, methods }) => {
    for (const method of METHODS.filter((candidate) => !methods.includes(candidate))) {
      const answer = await api.request(method, url, { headers: {} });

      expect(answer.status).toBe(405);
      expect(answer.problem.code).toBe('method_not_allowed');
      expect(answer.headers.get('allow')).toBe(methods.join(', '));
    }
  });
});

describe('404', () => {
  test.each([
    '',
    'nothing',
    'campaigns/x/y/z',
    'Campaigns',
    'keys/',
    '../keys',
    '%00',
    'campaigns/%00',
  ])('%j', async (path) => {
    const answer = await api.request('GET', path, { headers });

    // A trailing slash is ignored.
    expect(answer.status).toBe(path === 'keys/' ? 200 : 404);
  });
});

describe('bodies', () => {
  test.each(withBody)(
    '$name: 415 without a JSON content type',
    async ({ method, url, headers }) => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/vnd.api+json',
      ]) {
        expect(
          (
            await api.request(method, url, {
              headers: { ...headers, 'Content-Type': type },
              body: '{}',
            })
          ).status,
        ).toBe(415);
      }
    },
  );

  test.each(withBody)(
    '$name: 415 for a charset other than UTF-8, 400 for what is no UTF-8',
    async ({ method, url, headers }) => {
      const answerTo = async (type: string, body: Buffer) => {
        const answer = await fetch(`${api.url}/api/v1/${url}`, {
          method,
          headers: { ...headers, 'Content-Type': type },
          body: new Uint8Array(body),
        });
        return [answer.status, ((await answer.json()) as { readonly code: string }).code];
      };

      for (const charset of ['utf-16le', 'utf-16', 'utf-7', 'iso-8859-1', 'UTF-32']) {
        expect(
          await answerTo(`application/json; charset=${charset}`, Buffer.from('{}', 'utf16le')),
        ).toEqual([415, 'unsupported_media_type']);
      }
      expect(
        await answerTo(
          'application/json; charset="utf-8"',
          Buffer.from('{"name":"\xe9"}', 'latin1'),
        ),
      ).toEqual([400, 'invalid_json']);
      expect(
        await answerTo('application/json', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
      ).toEqual([400, 'invalid_json']);
    },
  );

  test.each(withBody)('$name: 400 for what is no JSON', async ({ method, url, headers }) => {
    for (const body of ['{', '{}{}', '{"a":1,}', "{'a':1}", 'NaN']) {
      const answer = await api.request(method, url, { headers, body });

      expect([answer.status, answer.problem.code]).toEqual([400, 'invalid_json']);
    }
  });

  test.each(withBody)('$name: 400 for JSON that is no object', async ({ method, url, headers }) => {
    for (const body of ['null', '5', '"x"', '[]']) {
      const answer = await api.request(method, url, { headers, body });

      expect([answer.status, answer.problem.code]).toEqual([400, 'validation_failed']);
    }
  });

  test.each(withBody)(
    '$name: 413 above a mebibyte, of campaigns above eight',
    async ({ name, method, url, headers }) => {
      const bytesMax = name === 'POST campaigns' ? LIMITS.pushBodyBytesMax : 1024 * 1024;

      expect(
        (
          await api.request(method, url, {
            headers,
            body: JSON.stringify({ x: 'x'.repeat(bytesMax) }),
          })
        ).status,
      ).toBe(413);
    },
  );
});

test('internal errors are logged, but not returned', async () => {
  await using broken = await startTestApi({
    db: { ...api.db, prisma: () => Promise.reject(new Error('password of the database')) },
  });

  const answer = await broken.request('GET', 'campaigns', { headers: broken.asServer });

  expect(answer.status).toBe(500);
  expect(answer.problem).toEqual({
    type: 'urn:tidings:error:internal',
    title: 'Internal error',
    status: 500,
    code: 'internal',
    requestId: answer.headers.get('x-request-id'),
  });
  expect(broken.logLines).toContainEqual(
    expect.objectContaining({
      msg: 'request failed unexpectedly',
      requestId: answer.problem.requestId,
    }),
  );
});
