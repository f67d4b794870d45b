import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { compileValidator } from '@tidings/platform';
import type { DashboardDependencies } from '../dependencies.ts';
import { apiRoutes } from '../server.ts';
import { resolveReferences, type Json } from '../testing/references.ts';
import { openApiDocument } from './document.ts';

// Routes take what they work with when they are called, which none is here.
const routes = apiRoutes({} as DashboardDependencies);
const text = JSON.stringify(openApiDocument(routes));
const document = JSON.parse(text) as Json;

type Media = { readonly schema: object; readonly example?: unknown; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly headers?: Json; readonly content?: Readonly<Record<string, Media>> }>>;
};

const operations = Object.entries(resolveReferences(document)['paths'] as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

/** Every schema of an operation with its examples. */
function mediaOf({ requestBody, responses }: Operation): readonly (readonly [string, Media])[] {
  return [
    ...Object.values(requestBody?.content ?? {}).map((media) => ['body', media] as const),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) => Object.values(content).map((media) => [status, media] as const)),
  ];
}

const examplesOf = ({ example, examples = {} }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

test('the document is a valid OpenAPI 3.1 document', async () => {
  const result = await new Validator().validate(document);

  expect(result).toEqual({ valid: true });
});

test('what is no OpenAPI 3.1 document would be told', async () => {
  const { valid } = await new Validator().validate({ ...document, paths: { '/x': { get: { responses: 5 } } } });

  expect(valid).toBe(false);
});

test('it names every route of the dashboard, the gateway’s addresses, and itself', () => {
  const named = routes.map(({ method, path }) => `${method} /api/v1/${path.replaceAll(/:(\w+)/g, '{$1}')}`);

  expect(operations.map(({ name }) => name).toSorted()).toEqual([...named, 'GET /openapi.json', 'POST /', 'POST /v1', 'POST /push', 'POST /v1/push'].toSorted());
});

test('ids of operations are unique words', () => {
  const ids = operations.map(({ operation }) => operation.operationId);

  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-zA-Z0-9]+$/.test(id))).toEqual([]);
});

test('nothing refers to what is not there, and nothing that is there is unused', () => {
  const used = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
  const { schemas } = document['components'] as { readonly schemas: Json };

  expect(() => resolveReferences(document)).not.toThrow();
  expect([...used].toSorted()).toEqual(Object.keys(schemas).toSorted());
});

test('every answer of the gateway tells the rate, refusals too', () => {
  const gateway = operations.filter(({ name }) => /^POST \/(v1|push|v1\/push)?$/.test(name));

  expect(gateway).toHaveLength(4);
  for (const answer of gateway.flatMap(({ operation }) => Object.values(operation.responses))) {
    expect(Object.keys(answer.headers ?? {})).toEqual(expect.arrayContaining(['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']));
  }
});

describe.each(operations)('$name', ({ operation }) => {
  test('says what it does, and has schemas that compile', () => {
    expect(operation.summary).not.toBe('');
    for (const { schema } of operation.parameters ?? []) compileValidator(schema);
    for (const [, { schema }] of mediaOf(operation)) compileValidator(schema);
  });

  test('shows examples, of its body and of its success, that are valid', () => {
    const examples = mediaOf(operation).map(([what, media]) => ({ what, found: examplesOf(media), validate: compileValidator(media.schema) }));

    expect(examples.filter(({ found }) => found.length === 0).map(({ what }) => what)).toEqual([]);
    for (const { what, found, validate } of examples) {
      for (const example of found) expect([what, validate(example)]).toEqual([what, { ok: true, value: example }]);
    }
  });

  test('names the parameters of its path', () => {
    const [, path = ''] = operations.find((candidate) => candidate.operation === operation)?.name.split(' ') ?? [];
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name);

    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  });
});
