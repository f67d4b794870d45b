import { describe, expect, test } from '@jest/globals';
import type { EndpointSpec } from '@tidings/api-spec/endpoint';
import { DEVICE_ENDPOINTS } from '@tidings/api-spec/endpoints/devices';
import {
  GATEWAY_ENDPOINTS,
  sendEndpoint,
  submitMessagesEndpoint,
} from '@tidings/api-spec/endpoints/gateway';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { ApiDependencies } from '@tidings/api/src/dependencies.ts';
import { apiRoutes } from '@tidings/api/src/server.ts';
import { resolveReferences, type Json } from '@tidings/api/src/testing/references.ts';
import { openApiDocument } from '@tidings/openapi/document';
import { portable } from '@tidings/openapi/portable';
import { createValidator } from '@tidings/validation';
import { mutated } from './mutated.ts';

const routes = apiRoutes({} as ApiDependencies);
const { paths } = resolveReferences(
  JSON.parse(JSON.stringify(openApiDocument(routes))) as Json,
) as { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

type Content = { readonly 'application/json'?: { readonly schema: object } };
type Operation = {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
type Schema = readonly [
  what: string,
  compiled: object | undefined,
  shown: object | undefined,
  example: unknown,
];

const atRoot: readonly EndpointSpec[] = [...GATEWAY_ENDPOINTS, ...DEVICE_ENDPOINTS];
const endpoints = [
  ...atRoot,
  ...routes.map((route) => ({ ...route, path: `/api/v1/${route.path}` })),
].map((endpoint) => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint }));

/** Schemas that a service compiles for an endpoint, and what the document shows instead. */
function schemasOf({ method, path, body, bodyExample, answer }: EndpointSpec): readonly Schema[] {
  const shown = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  const ofBody = shown?.requestBody?.content['application/json']?.schema;
  const ofAnswer = shown?.responses[answer.status]?.content?.['application/json']?.schema;
  return [
    ['body', body, ofBody, bodyExample],
    ['answer', answer.schema, ofAnswer, answer.example],
  ];
}

describe('the document accepts and rejects the same as the services', () => {
  test.each(endpoints)('$name', ({ endpoint }) => {
    for (const [what, compiled, shown, example] of schemasOf(endpoint)) {
      expect([what, shown === undefined]).toEqual([what, compiled === undefined]);
      if (compiled === undefined || shown === undefined) continue;
      const [byService, byDocument] = [createValidator(compiled), createValidator(shown)];
      const differing = mutated(example).filter(
        (value) => byService(value).ok !== byDocument(value).ok,
      );

      expect(byDocument(example).ok).toBe(true);
      expect(differing).toEqual([]);
    }
  });
});

// A service compiles a schema when its route gets its first request, and again at the first fault.
test.each(endpoints)('the path and the query of $name compile', ({ endpoint }) => {
  const { query = { type: 'object' }, parameters = {} } = endpoint;

  for (const schema of [query, { type: 'object', properties: parameters }])
    expect(createValidator(schema)('not an object').ok).toBe(false);
});

describe('both accept and reject the same pushes of each channel', () => {
  const fields = {
    title: 'Hello',
    body: 'Hello',
    url: 'https://shop.example',
    icon: 'https://shop.example/icon.png',
    images: [{ url: 'https://shop.example/a.png' }],
    buttons: [{ label: 'Go', link: 'javascript:x' }],
    ttl: 60,
    method: 'POST',
    headers: { 'x-a': 'b' },
    alignment: 'TOP',
    customContent: { a: 1 },
  };
  const [byService, byDocument] = [
    createValidator(sendEndpoint.body),
    createValidator(
      paths['/push']?.['post']?.requestBody?.content['application/json']?.schema ?? {},
    ),
  ];

  test.each(CHANNELS)('%s', (channel) => {
    const bodies = mutated({ recipients: ['ada'], channel, message: fields, purpose: 'marketing' });

    expect(bodies.filter((body) => byService(body).ok !== byDocument(body).ok)).toEqual([]);
    expect(new Set(bodies.map((body) => byService(body).ok))).toEqual(new Set([true, false]));
  });
});

test('the document expresses "exactly one of two fields" as checked', () => {
  const message = { type: 'action', id: 'm', time: 1 };
  const bodies = [undefined, null, 'n', 5].flatMap((name) =>
    [undefined, null, 'c', {}].map((customName) => ({
      customUserId: 'ada',
      messages: [JSON.parse(JSON.stringify({ ...message, name, customName })) as unknown],
    })),
  );
  const [byService, byDocument] = [
    createValidator(submitMessagesEndpoint.body),
    createValidator(resolveReferences(portable(submitMessagesEndpoint.body))),
  ];
  const okOf = (validate: typeof byService) => bodies.map((body) => validate(body).ok);

  expect(okOf(byDocument)).toEqual(okOf(byService));
  expect(okOf(byService).filter((ok) => ok)).toHaveLength(4);
});
