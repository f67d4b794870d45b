import { afterAll, expect, test } from '@jest/globals';
import { openApiDocument } from '@tidings/openapi/document';
import { createRoutes } from '@tidings/client-api/src/server.ts';
import {
  callSdk,
  createSdkApplication,
  createTestDevice,
  type SdkCall,
} from '@tidings/client-api/src/testing/sdk-application.ts';
import {
  startTestClientApi,
  testDependencies,
} from '@tidings/client-api/src/testing/test-client-api.ts';
import type { ApiDependencies } from '@tidings/api/src/dependencies.ts';
import { apiRoutes } from '@tidings/api/src/server.ts';
import { createAnswerCheck } from '@tidings/api/src/testing/check-answers.ts';
import { resolveReferences, type Json } from '@tidings/api/src/testing/references.ts';
import type { Problem } from '@tidings/contracts/errors/error-codes';
import { updateApplication } from '@tidings/people/update-application';
import { createValidator } from '@tidings/validation';
import { mutated } from './mutated.ts';

const document = JSON.parse(
  JSON.stringify(openApiDocument(apiRoutes({} as ApiDependencies))),
) as Json;
const checkAnswer = createAnswerCheck(document);

type Operation = {
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: object;
        readonly example: Readonly<Record<string, unknown>>;
      };
    };
  };
};
const PREFIX = '/sdk/v1/';
const served = Object.entries(
  resolveReferences(document)['paths'] as Record<string, Record<string, Operation>>,
)
  .filter(([path]) => path.startsWith(PREFIX))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path: path.slice(PREFIX.length),
      method: method.toUpperCase(),
      operation,
    })),
  );

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

/** Methods and paths below `/sdk/v1/` that the router serves and that require a key. */
function routesOf(): string[] {
  const { stack } = createRoutes(testDependencies(api.db)).router as unknown as {
    readonly stack: readonly {
      readonly route?: {
        readonly path: string;
        readonly stack: readonly { readonly method?: string }[];
      };
    }[];
  };
  return stack.flatMap(({ route }) => {
    // SDK files are not part of the document.
    if (route?.path.startsWith(PREFIX) !== true || route.path.includes('.')) return [];
    const path = route.path.slice(PREFIX.length).replaceAll(/:(\w+)/g, '{$1}');
    return [...new Set(route.stack.flatMap(({ method }) => method?.toUpperCase() ?? []))].map(
      (method) => `${method} ${path}`,
    );
  });
}

test('the document has exactly the device endpoints', () => {
  expect(served.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    routesOf().toSorted(),
  );
});

type Step = readonly [status: number, options: SdkCall, deviceId?: string];

/** Calls of one operation with their expected statuses. */
function stepsOf(
  { path, method, operation }: (typeof served)[number],
  headers: Readonly<Record<string, string>>,
): Step[] {
  const example = operation.requestBody?.content['application/json'].example;
  const page = { Origin: 'https://shop.example' };
  if (method === 'OPTIONS') return [[204, { headers: page }]];
  const success = method === 'DELETE' ? 204 : 200;
  const isOfDevice = path !== 'config' && path !== 'devices';
  // An opened stream does not end; its own test reads it.
  if (path === 'messages/stream')
    return [
      [403, { headers: page }],
      [404, { headers }, 'unregistered'],
      [400, { headers }, ''],
    ];
  if (example === undefined)
    return [
      [403, { headers: page }],
      [success, { headers: { ...headers, ...page } }],
      ...(isOfDevice ? [[404, { headers }, 'unregistered'] as const] : []),
    ];
  const { userToken: _nobodySignedIt, ...body } = example;
  // A user is verified before the device is looked up; here the application accepts an unsigned id.
  const claim = path === 'identify' ? { customUserId: 'ada' } : {};
  const ofDevice = (deviceId: string): SdkCall => ({
    headers,
    body: { ...body, ...claim, deviceId },
  });
  return [
    [403, { headers: page, body: example }],
    [400, { headers, body: '{' }],
    [400, { headers, body: {} }],
    [413, { headers, body: 'x'.repeat(70_000) }],
    [415, { headers: { ...headers, 'Content-Type': 'text/html' }, body: example }],
    ...(path === 'identify' ? [[403, { headers, body: example }] as const] : []),
    [200, ofDevice('known'), 'known'],
    ...(isOfDevice ? [[404, ofDevice('unregistered')] as const] : []),
  ];
}

test.each(served)('$method $path answers as documented', async (operation) => {
  const app = await createSdkApplication(api.db);
  await updateApplication(api.db, app.applicationId, { settings: { userTokens: 'optional' } });
  await createTestDevice(api.db, { ...app, deviceId: 'known' });
  const { method, path } = operation;
  const steps = stepsOf(operation, app.headers);

  const seen: number[] = [];
  for (const [, options, deviceId = 'known'] of steps) {
    const at = path.replace('{deviceId}', deviceId);
    const query = path.startsWith('messages') ? `?deviceId=${deviceId}&wait=0` : '';
    const { status, headers, text } = await callSdk(api, at + query, { method, ...options });
    checkAnswer({ method, path: PREFIX + at, status, headers, text });
    seen.push(status);
  }

  expect(seen).toEqual(steps.map(([status]) => status));
});

test.each(served.filter(({ operation }) => operation.requestBody !== undefined))(
  '$method $path refuses what the schema of the document refuses, with the same faults',
  async ({ method, path, operation }) => {
    const { headers } = await createSdkApplication(api.db);
    const media = operation.requestBody?.content['application/json'];
    const validate = createValidator(media?.schema ?? {});
    // Strings are sent as raw text, and most are not JSON.
    const bodies = mutated(media?.example).filter((body) => typeof body !== 'string');
    const refused = bodies.flatMap((body) => {
      const result = validate(body);
      return result.ok ? [] : [{ body, errors: result.errors }];
    });

    expect(refused.length).toBeGreaterThan(8);
    for (const { body, errors } of refused) {
      const answer = await callSdk(api, path, { method, headers, body });
      const problem = JSON.parse(answer.text) as Problem;
      expect([body, answer.status, problem.errors]).toEqual([body, 400, errors]);
    }
  },
);
