import { columnsOf, isList, itemSchemaOf } from '@tidings/api-spec/lists';
import type { Described, Endpoint } from '@tidings/api-spec/endpoint';
import { headerReferences } from '@tidings/api-spec/headers';
import { portable } from './portable.ts';
import { refusalAnswers } from './refusals.ts';

export type Json = Record<string, unknown>;

/** Who may call, each as one alternative of OpenAPI's `security`. */
const SECURITY = {
  reader: [
    { applicationId: [], apiKey: [] },
    { applicationId: [], administratorToken: [] },
    { applicationId: [], session: [] },
  ],
  administrator: [{ administratorToken: [] }, { session: [] }],
  application_administrator: [
    { applicationId: [], administratorToken: [] },
    { applicationId: [], session: [] },
  ],
  member: [{ session: [] }],
  anybody: [],
} as const satisfies Record<Endpoint['access'], readonly object[]>;

/** 401 is the answer to pages alone. An administrator may name an application that is none. */
const REFUSALS_OF_ACCESS = {
  reader: [400, 401, 403, 404, 429],
  administrator: [400, 401, 403, 429],
  application_administrator: [400, 401, 403, 404, 429],
  member: [400, 401, 403, 429],
  anybody: [400, 403],
} as const satisfies Record<Endpoint['access'], readonly number[]>;

/** The path as OpenAPI writes it: `/keys/:keyId` is `/keys/{keyId}`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** Every status that an endpoint can answer with, besides that of success. */
export function refusalStatuses({ access, body, refusals = [] }: Endpoint): readonly number[] {
  const ofAccess = REFUSALS_OF_ACCESS[access];
  const ofBody = body === undefined ? [] : [413, 415];
  return [...ofAccess, ...refusals, ...ofBody, 500, 503];
}

/** The Operation Object of an endpoint of `/api/v1`. */
export function operationOf(endpoint: Endpoint): Json {
  const [tag = ''] = endpoint.path.split('/');
  return operationFrom(endpoint, {
    tag,
    security: SECURITY[endpoint.access],
    headers: isList(endpoint) ? ['Content-Disposition'] : [],
    refusals: refusalAnswers(refusalStatuses(endpoint)),
  });
}

/** The Operation Object of an endpoint of any service. */
export function operationFrom(
  endpoint: Described,
  {
    tag,
    security,
    headers,
    refusals,
  }: {
    readonly tag: string;
    readonly security: readonly object[];
    /** Of its success, besides those that the endpoint names. */
    readonly headers: readonly string[];
    readonly refusals: Json;
  },
): Json {
  const { name, summary, description, body, bodyExample, answer } = endpoint;
  const parameters = parametersOf(endpoint);
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': contentOf(body, bodyExample) },
      },
    }),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: headerReferences([...headers, ...(answer.headers ?? [])]),
        ...answerContent(endpoint),
      },
      ...refusals,
    },
  };
}

/** Parameter Objects: of the path, of the query, headers. */
export function parametersOf({
  parameters = {},
  query,
  headers = [],
}: Pick<Described, 'parameters' | 'query' | 'headers'>): readonly object[] {
  return [
    ...Object.entries(parameters).map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      schema: portable(schema),
    })),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      ...(query?.required?.includes(name) === true && { required: true }),
      schema: portable(schema),
    })),
    ...headers,
  ];
}

/** Lists are files too, of which the first line names the columns. */
function answerContent(endpoint: Described): { readonly content?: Json } {
  const { schema, example, texts = {} } = endpoint.answer;
  const all = {
    ...(isList(endpoint) && {
      'text/csv': `${columnsOf(itemSchemaOf(endpoint))
        .map(({ name }) => name)
        .join(',')}\r\n`,
    }),
    ...texts,
  };
  const content = {
    ...(schema && { 'application/json': contentOf(schema, example) }),
    ...Object.fromEntries(
      Object.entries(all).map(([type, text]) => [type, contentOf({ type: 'string' }, text)]),
    ),
  };
  return Object.keys(content).length === 0 ? {} : { content };
}

/** A Media Type Object. */
export function contentOf(schema: object, example: unknown): Json {
  return { schema: portable(schema), ...(example !== undefined && { example }) };
}
