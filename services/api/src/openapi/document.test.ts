import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiDocument } from '@tidings/openapi/document';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { EXPLANATIONS } from '@tidings/contracts/errors/explanations/explanations';
import { WEBHOOK_KINDS } from '@tidings/contracts/webhooks';
import { createValidator } from '@tidings/validation';
import type { ApiDependencies } from '../dependencies.ts';
import { apiRoutes } from '../server.ts';
import { type Json, resolveReferences } from '../testing/references.ts';

// Routes use their dependencies only when called; none is called here.
const routes = apiRoutes({} as ApiDependencies);
const text = JSON.stringify(openApiDocument(routes));
const document = JSON.parse(text) as Json;

type Media = {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly headers?: Json; readonly content?: Readonly<Record<string, Media>> }>
  >;
};

const resolved = resolveReferences(document) as Record<
  'paths' | 'webhooks',
  Record<string, Record<string, Operation>>
>;
const operations = Object.entries(resolved.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);
/** The webhooks of the document. */
const webhooks = Object.entries(resolved.webhooks).map(([name, { post }]) => ({
  name,
  operation: post ?? ({} as Operation),
}));

/** Every schema of an operation with its examples. */
function mediaOf({ requestBody, responses }: Operation): readonly (readonly [string, Media])[] {
  return [
    ...Object.values(requestBody?.content ?? {}).map((media) => ['body', media] as const),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).map((media) => [status, media] as const),
    ),
  ];
}

/** Caches compiled schemas: many responses share one, and compiling dominates this test. */
const validators = new Map<object, ReturnType<typeof createValidator>>();
function validatorOf(schema: object): ReturnType<typeof createValidator> {
  const validate = validators.get(schema) ?? createValidator(schema);
  validators.set(schema, validate);
  return validate;
}

const examplesOf = ({ example, examples = {} }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

test('the document is a valid OpenAPI 3.1 document', async () => {
  const result = await new Validator().validate(document);

  expect(result).toEqual({ valid: true });
});

test('an invalid OpenAPI 3.1 document would be detected', async () => {
  const { valid } = await new Validator().validate({
    ...document,
    paths: { '/x': { get: { responses: 5 } } },
  });

  expect(valid).toBe(false);
});

test('it contains every route of the API, of the gateway and of devices, and itself', () => {
  const named = routes.map(
    ({ method, path }) => `${method} /api/v1/${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );

  const ofDevices = operations.map(({ name }) => name).filter((name) => name.includes(' /sdk/v1/'));

  expect(ofDevices.length).toBeGreaterThan(0);
  expect(
    operations
      .map(({ name }) => name)
      .filter((name) => !ofDevices.includes(name))
      .toSorted(),
  ).toEqual(
    [
      ...named,
      'GET /openapi.json',
      'POST /',
      'OPTIONS /',
      'POST /v1',
      'OPTIONS /v1',
      'POST /push',
      'POST /v1/push',
    ].toSorted(),
  );
});

test('operation ids are unique identifiers, short enough for function names', () => {
  const ids = [...operations, ...webhooks].map(({ operation }) => operation.operationId);

  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z][a-zA-Z0-9]{1,29}$/.test(id))).toEqual([]);
});

test('a push has one named schema per channel, with the channel as discriminator', () => {
  const { schemas } = document['components'] as {
    readonly schemas: Readonly<Record<string, Json>>;
  };
  const { discriminator } = schemas['PushRequest'] as {
    readonly discriminator: {
      readonly propertyName: string;
      readonly mapping: Readonly<Record<string, string>>;
    };
  };
  const targets = Object.entries(discriminator.mapping).map(([channel, reference]) => {
    const { properties, required } = schemas[reference.split('/').at(-1) ?? ''] as {
      readonly properties: Readonly<Record<string, Json>>;
      readonly required: readonly string[];
    };
    return { channel, const: properties['channel']?.['const'], required };
  });

  expect(discriminator.propertyName).toBe('channel');
  expect(Object.keys(discriminator.mapping)).toEqual([...CHANNELS]);
  for (const target of targets)
    expect(target).toEqual({
      channel: target.channel,
      const: target.channel,
      // It may have `segment` for `recipients`, and `template` or `split` for `message`.
      required: ['channel'],
    });
});

test('objects without named fields allow any: generators would treat them as empty', () => {
  const free: string[] = [];
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null || /\/examples?$/.test(at)) return;
    const { type } = value as { readonly type?: unknown };
    const isFree = [type].flat().includes('object') && !('properties' in value || 'oneOf' in value);
    if (isFree && !('additionalProperties' in value)) free.push(at);
    for (const [key, item] of Object.entries(value)) walk(item, `${at}/${key}`);
  };
  walk(document, '');

  expect(free).toEqual([]);
});

test.each(webhooks)('the webhook $name shows an example that is valid', ({ operation }) => {
  const media = operation.requestBody?.content['application/json'];

  expect(media && validatorOf(media.schema)(media.example)).toEqual({
    ok: true,
    value: media?.example,
  });
});

test('every webhook kind is in the document', () => {
  type Event = { readonly properties: { readonly type: { readonly enum: readonly string[] } } };
  const kinds = webhooks.flatMap(({ operation }) => {
    const event = operation.requestBody?.content['application/json']?.schema as Event | undefined;
    return event?.properties.type.enum ?? [];
  });

  expect(kinds).toEqual([...WEBHOOK_KINDS]);
});

test('all references resolve, and all components are used', () => {
  expect(() => resolveReferences(document)).not.toThrow();
  for (const [kind, components] of Object.entries(document['components'] as Record<string, Json>)) {
    const used = new Set(
      [...text.matchAll(new RegExp(`"\\$ref":"#/components/${kind}/([^"]+)"`, 'g'))].map(
        ([, name]) => name,
      ),
    );
    const isNamed = (name: string): boolean =>
      kind === 'securitySchemes' ? text.includes(`"${name}":[]`) : used.has(name);
    expect([kind, Object.keys(components).filter((name) => !isNamed(name))]).toEqual([kind, []]);
  }
});

test('every tag has a description and is used', () => {
  const tags = (document['tags'] as { readonly name: string; readonly description: string }[]).map(
    ({ name }) => name,
  );

  expect(new Set(operations.flatMap(({ operation }) => operation.tags))).toEqual(new Set(tags));
});

test('it names its server', () => {
  expect(document['servers']).toEqual([{ url: '/', description: expect.any(String) }]);
});

test('gateway responses to authenticated callers have rate limit headers, and those to pages CORS headers', () => {
  const gateway = operations.filter(({ name }) => /^POST \/(v1|push|v1\/push)?$/.test(name));

  expect(gateway).toHaveLength(4);
  for (const { name, operation } of gateway) {
    const headersOf = (status: string) => Object.keys(operation.responses[status]?.headers ?? {});
    for (const status of ['200', '400', '403', '413', '415', '429', '500', '503']) {
      expect(headersOf(status)).toEqual(
        expect.arrayContaining(['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']),
      );
      expect([name, headersOf(status).includes('Access-Control-Allow-Origin')]).toEqual([
        name,
        !name.includes('push'),
      ]);
    }
    for (const status of ['429', '503']) expect(headersOf(status)).toContain('Retry-After');
  }
});

describe.each(operations)('$name', ({ operation }) => {
  test('documents the common errors and their headers', () => {
    for (const status of ['400', '405', '408', '431']) {
      expect(Object.keys(operation.responses[status]?.headers ?? {})).toEqual(
        expect.arrayContaining([
          'X-Request-Id',
          'API-Version',
          ...(status === '405' ? ['Allow'] : []),
        ]),
      );
    }
    expect('413' in operation.responses).toBe(operation.requestBody !== undefined);
  });

  test('has a summary, and schemas that compile', () => {
    expect(operation.summary).not.toBe('');
    for (const { schema } of operation.parameters ?? []) validatorOf(schema);
    for (const [, { schema }] of mediaOf(operation)) validatorOf(schema);
  });

  test('has valid examples of body and response', () => {
    const examples = mediaOf(operation).map(([what, media]) => ({
      what,
      found: examplesOf(media),
      validate: validatorOf(media.schema),
    }));

    expect(examples.filter(({ found }) => found.length === 0).map(({ what }) => what)).toEqual([]);
    for (const { what, found, validate } of examples) {
      for (const example of found)
        expect([what, validate(example)]).toEqual([what, { ok: true, value: example }]);
    }
  });

  test('documents its path parameters', () => {
    const [, path = ''] =
      operations.find((candidate) => candidate.operation === operation)?.name.split(' ') ?? [];
    const inPath = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name);

    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  });
});

describe('explanations', () => {
  const document = resolveReferences(
    JSON.parse(JSON.stringify(openApiDocument(apiRoutes({} as ApiDependencies)))) as Json,
  );
  const known = new Set(Object.values(EXPLANATIONS).flatMap((group) => Object.keys(group)));

  type Listed = {
    readonly enum?: readonly unknown[];
    readonly anyOf?: readonly { readonly enum?: readonly unknown[] }[];
  };

  /** The enum values of all fields with these names. */
  function valuesOf(
    value: unknown,
    names: ReadonlySet<string>,
    found = new Set<string>(),
  ): Set<string> {
    if (typeof value !== 'object' || value === null) return found;
    for (const [name, item] of Object.entries(value)) {
      const { enum: list, anyOf = [] } = (item ?? {}) as Listed;
      const lists = [list, ...anyOf.map((one) => one.enum)];
      if (names.has(name))
        for (const one of lists.flat()) if (typeof one === 'string') found.add(one);
      valuesOf(item, names, found);
    }
    return found;
  }

  test('every reason code in a response has an explanation', () => {
    const codes = valuesOf(
      document,
      new Set(['reason', 'code', 'cause', 'disabledReason', 'errorClass', 'kind']),
    );
    const kindsOfThings = new Set([
      'action',
      'revenue',
      'businessEvent',
      'web_push',
      'fcm',
      'none',
      'event',
      'message',
      'profile',
    ]);

    expect(codes.size).toBeGreaterThan(60);
    expect([...codes].filter((code) => !known.has(code) && !kindsOfThings.has(code))).toEqual([]);
  });
});
