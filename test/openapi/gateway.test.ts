import { describe, expect, test } from '@jest/globals';
import { GATEWAY_ENDPOINTS } from '@tidings/api-spec/endpoints/gateway';
import { openApiDocument } from '@tidings/openapi/document';
import { BusUnavailableError } from '@tidings/bus';
import type { ApiDependencies } from '@tidings/api/src/dependencies.ts';
import { apiRoutes } from '@tidings/api/src/server.ts';
import { createAnswerCheck } from '@tidings/api/src/testing/check-answers.ts';
import { resolveReferences, type Json } from '@tidings/api/src/testing/references.ts';
import {
  CLIENT_HEADERS,
  SERVER_HEADERS,
  databaseThat,
  startTestGateway,
  type Answer,
  type PostOptions,
  type TestGateway,
} from '@tidings/gateway/src/testing/test-gateway.ts';
import { createValidator } from '@tidings/validation';
import { openRawConnection } from '@tidings/platform/testing';
import { mutated } from './mutated.ts';

const document = JSON.parse(
  JSON.stringify(openApiDocument(apiRoutes({} as ApiDependencies))),
) as Json;
const checkAnswer = createAnswerCheck(document);

type Operation = {
  readonly requestBody: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: object;
        readonly example?: unknown;
        readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
      };
    };
  };
};

const served = Object.entries(
  resolveReferences(document)['paths'] as Record<string, { readonly post?: Operation }>,
).filter(([path]) => !/^\/(api|sdk)\//.test(path) && path !== '/openapi.json');

/** Sends a request and validates the response against the document. */
async function call(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const answer = await fetch(url, { method, headers });
  checkAnswer({
    method,
    path: new URL(url).pathname,
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
  });
  return answer;
}

/** Sends a POST and validates the response against the document. */
async function post(
  gateway: TestGateway,
  body: unknown,
  options: PostOptions & { readonly path: string },
): Promise<Answer> {
  const answer = await gateway.post(body, options);
  checkAnswer({
    method: 'POST',
    path: options.path,
    status: answer.status,
    headers: answer.headers,
    text: answer.text,
  });
  return answer;
}

test('the document has the gateway’s endpoints', () => {
  expect(served.map(([path]) => path)).toEqual(['/', '/v1', '/push', '/v1/push']);
});

describe.each(served)('POST %s', (path, { post: operation }) => {
  test('is a POST endpoint of the gateway', async () => {
    await using gateway = await startTestGateway();

    const answer = await fetch(gateway.url + path);

    expect([answer.status, answer.headers.get('allow')]).toEqual([
      405,
      expect.stringContaining('POST'),
    ]);
  });

  test('accepts the example, and rejects as documented', async () => {
    await using gateway = await startTestGateway({
      db: databaseThat(async () => ({ rows: [] })),
      storeCampaigns: async (campaigns) =>
        campaigns.map(({ idempotency }) =>
          idempotency === undefined
            ? { outcome: 'accepted', isUntested: true }
            : { outcome: 'conflict' },
        ),
    });
    const { example, examples } = operation?.requestBody.content['application/json'] ?? {};
    const body = (example ?? examples?.['EMAIL']?.value) as Record<string, unknown>;

    expect((await post(gateway, '{', { path })).status).toBe(400);
    expect((await post(gateway, {}, { path })).status).toBe(400);
    expect((await post(gateway, body, { path, headers: {} })).status).toBe(403);
    expect(
      (await post(gateway, { ...body, pad: 'x'.repeat(9 * 1024 * 1024) }, { path })).status,
    ).toBe(413);
    expect(
      (
        await post(gateway, body, {
          path,
          headers: { ...SERVER_HEADERS, 'Content-Type': 'text/plain' },
        })
      ).status,
    ).toBe(415);
    for (const more of [{}, { unheardOf: 1 }, { dryRun: true }])
      expect((await post(gateway, { ...body, ...more }, { path })).status).toBe(200);
    expect(
      (
        await post(gateway, body, {
          path,
          headers: { ...SERVER_HEADERS, 'Idempotency-Key': 'taken' },
        })
      ).status,
    ).toBe(path.endsWith('/push') ? 409 : 200);
  });

  test('returns the documented rate limit error', async () => {
    await using gateway = await startTestGateway({
      rates: { ingest: { perSecond: 0.001, burst: 1 }, push: { perSecond: 0.001, burst: 1 } },
    });

    await post(gateway, '{', { path });

    expect((await post(gateway, '{', { path })).status).toBe(429);
  });
});

test.each(GATEWAY_ENDPOINTS)(
  'POST $path refuses what the document refuses, for the faults of the schema of its endpoint',
  async ({ path, body: compiled, bodyExample }) => {
    await using gateway = await startTestGateway();
    const operation = served.find(([each]) => each === path)?.[1].post;
    const { schema = {} } = operation?.requestBody.content['application/json'] ?? {};
    const [shown, checked] = [createValidator(schema), createValidator(compiled)];
    // Strings are sent as raw text, and most are not JSON.
    const refused = mutated(bodyExample).filter(
      (body) => typeof body !== 'string' && !shown(body).ok,
    );

    expect(refused.length).toBeGreaterThan(20);
    for (const body of refused) {
      const { status, problem } = await gateway.post(body, { path });
      const result = checked(body);
      const pointers = result.ok ? ['none'] : result.errors.map(({ pointer }) => pointer);
      const told = problem.errors?.map(({ pointer }) => pointer);
      expect([body, status, told]).toEqual([body, 400, expect.arrayContaining(pointers)]);
    }
  },
  // Hundreds of requests in sequence.
  60_000,
);

test.each(served)('%s rejects invalid requests as documented', async (path) => {
  await using gateway = await startTestGateway({ requestTimeoutMs: 300 });

  expect((await call(gateway.url + path, 'DELETE')).headers.get('Allow')).toContain('POST');
  expect((await call(gateway.url + path, 'POST', { 'X-Pad': 'x'.repeat(17_000) })).status).toBe(
    431,
  );
  await using slow = await openRawConnection(gateway.port, `POST ${path} HTTP/1.1\r\nHost: a\r\n`);
  const { status, headers, body } = await slow.answer();
  checkAnswer({ method: 'POST', path, status, headers: new Headers(headers), text: body });
  expect(status).toBe(408);
});

test.each(['/', '/v1'])('%s answers browser preflights and calls as documented', async (path) => {
  await using gateway = await startTestGateway({ rates: { ingest: { perSecond: 1, burst: 10 } } });
  const origin = { Origin: 'https://shop.example' };

  expect(
    (
      await call(gateway.url + path, 'OPTIONS', {
        ...origin,
        'Access-Control-Request-Method': 'POST',
      })
    ).headers.get('Access-Control-Allow-Origin'),
  ).toBe('*');
  expect((await call(gateway.url + path, 'POST', { ...CLIENT_HEADERS, ...origin })).status).toBe(
    400,
  );
  expect((await call(gateway.url + path, 'POST', origin)).status).toBe(403);
});

test('POST / returns the documented partial and unavailable responses', async () => {
  await using gateway = await startTestGateway();
  await using cut = await startTestGateway({
    append: () => Promise.reject(new BusUnavailableError('away')),
  });
  const good = { type: 'action', id: 'm1', time: 1_760_000_000_000, customName: 'x', surprise: 1 };
  const batch = {
    customUserId: 'ada',
    messages: [good, { ...good, id: 'm2', time: 'today' }, { ...good, id: 5 }],
  };

  const partial = await post(gateway, batch, {
    path: '/',
    headers: { ...SERVER_HEADERS, Prefer: 'handling=lenient' },
  });
  const business = await post(
    gateway,
    { messages: [{ ...good, type: 'businessEvent' }] },
    { path: '/', headers: CLIENT_HEADERS },
  );
  const away = await post(cut, { customUserId: 'ada', messages: [good] }, { path: '/' });

  expect([partial, business, away].map(({ status }) => status)).toEqual([200, 403, 503]);
  expect(partial.body).toMatchObject({
    status: 'partial',
    rejected: [
      { index: 1, id: 'm2' },
      { index: 2, id: null },
    ],
  });
});
