import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { createRecordingLogger } from '@tidings/testing';
import { createRoutes } from './server.ts';
import {
  APPLICATION_ID,
  CLIENT_KEY,
  OTHER_APPLICATION_ID,
  OTHER_KEY,
  SERVER_HEADERS,
  SERVER_KEY,
  batchWith,
  startTestGateway,
  type TestGateway,
} from './testing/test-gateway.ts';

/** The callers. The store treats a revoked key as unknown. */
const CALLERS = {
  none: {},
  client: { 'X-Application-Id': APPLICATION_ID, 'X-API-Key': CLIENT_KEY },
  server: { 'X-Application-Id': APPLICATION_ID, 'X-API-Key': SERVER_KEY },
  otherTenant: { 'X-Application-Id': APPLICATION_ID, 'X-API-Key': OTHER_KEY },
  otherApplication: { 'X-Application-Id': OTHER_APPLICATION_ID, 'X-API-Key': SERVER_KEY },
  revoked: { 'X-Application-Id': APPLICATION_ID, 'X-API-Key': 'sk_revoked' },
} as const;
type Caller = keyof typeof CALLERS;

const WRONG = '403 forbidden';
const wrong = { none: WRONG, otherTenant: WRONG, otherApplication: WRONG, revoked: WRONG } as const;
const open = (answer: string): Record<Caller, string> => ({
  none: answer,
  client: answer,
  server: answer,
  otherTenant: answer,
  otherApplication: answer,
  revoked: answer,
});
const push = { recipients: ['u1'], channel: 'SMS', message: { body: 'hello' }, dryRun: false };

/** The expected result of each route for each caller. A missing route fails the first test. */
const MATRIX: Readonly<
  Record<string, { readonly body?: unknown; readonly answers: Record<Caller, string> }>
> = {
  'POST /': { body: batchWith(), answers: { ...wrong, client: '200', server: '200' } },
  'POST /v1': { body: batchWith(), answers: { ...wrong, client: '200', server: '200' } },
  'POST /push': {
    body: push,
    answers: { ...wrong, client: '403 client_key_forbidden', server: '200' },
  },
  'POST /v1/push': {
    body: push,
    answers: { ...wrong, client: '403 client_key_forbidden', server: '200' },
  },
  'OPTIONS /': { answers: open('204') },
  'OPTIONS /v1': { answers: open('204') },
};

/** Method and path of every route of the gateway. */
function routesOf(): string[] {
  const routes = createRoutes({
    logger: createRecordingLogger().logger,
    ids: systemIds,
    trustedProxies: [],
    admissions: {},
  } as never);
  return routes.flatMap(({ paths, methods }) =>
    [...methods.keys()].flatMap((method) => paths.map((path) => `${method} ${path}`)),
  );
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

test('every route of the gateway is in the matrix, and no other', () => {
  expect(routesOf().toSorted()).toEqual(Object.keys(MATRIX).toSorted());
});

describe('who may call which route', () => {
  test.each(
    Object.entries(MATRIX).flatMap(([route, { body, answers }]) =>
      Object.entries(answers).map(([caller, answer]) => ({ route, caller, answer, body })),
    ),
  )('$route by $caller is $answer', async ({ route, caller, answer, body }) => {
    const [method = '', path = ''] = route.split(' ');
    const records = gateway.records.length;

    const response = await fetch(gateway.url + path, {
      method,
      headers: { 'Content-Type': SERVER_HEADERS['Content-Type'], ...CALLERS[caller as Caller] },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

    const text = await response.text();
    const { code } = (text === '' ? {} : JSON.parse(text)) as { readonly code?: string };
    expect([response.status, ...(code === undefined ? [] : [code])].join(' ')).toBe(answer);
    expect(gateway.records.length - records).toBe(
      answer === '200' && !path.endsWith('push') ? 1 : 0,
    );
  });
});
