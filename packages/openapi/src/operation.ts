import { listColumns, isList, getItemSchema } from '@tidings/api-spec/lists';
import type { EndpointSpec, Endpoint } from '@tidings/api-spec/endpoint';
import { headerReferences } from '@tidings/api-spec/headers';
import { portable } from './portable.ts';
import { errorResponses } from './error-responses.ts';

export type Json = Record<string, unknown>;

/** OpenAPI `security` for each kind of access. */
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
  public: [],
} as const satisfies Record<Endpoint['access'], readonly object[]>;

/**
 * 401 is only returned to dashboard sessions. 404: an administrator may name an application that
 * does not exist.
 */
const STATUSES_BY_ACCESS = {
  reader: [400, 401, 403, 404, 429],
  administrator: [400, 401, 403, 429],
  application_administrator: [400, 401, 403, 404, 429],
  member: [400, 401, 403, 429],
  public: [400, 403],
} as const satisfies Record<Endpoint['access'], readonly number[]>;

/** The path in OpenAPI syntax: `/keys/:keyId` becomes `/keys/{keyId}`. */
export function toPathTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** Every error status of an endpoint. */
export function listErrorStatuses({
  access,
  body,
  errorStatuses = [],
}: Endpoint): readonly number[] {
  const ofAccess = STATUSES_BY_ACCESS[access];
  const ofBody = body === undefined ? [] : [413, 415];
  return [...ofAccess, ...errorStatuses, ...ofBody, 500, 503];
}

/** The Operation Object of an endpoint of `/api/v1`. */
export function endpointOperation(endpoint: Endpoint): Json {
  const [tag = ''] = endpoint.path.split('/');
  return buildOperation(endpoint, {
    tag,
    security: SECURITY[endpoint.access],
    headers: isList(endpoint) ? ['Content-Disposition'] : [],
    errorStatuses: errorResponses(listErrorStatuses(endpoint)),
  });
}

/** The Operation Object of any endpoint. */
export function buildOperation(
  endpoint: EndpointSpec,
  {
    tag,
    security,
    headers,
    errorStatuses,
  }: {
    readonly tag: string;
    readonly security: readonly object[];
    /** Headers of the success response besides those that the endpoint names. */
    readonly headers: readonly string[];
    readonly errorStatuses: Json;
  },
): Json {
  const { name, summary, description, body, bodyExample, bodyExamples, answer } = endpoint;
  const parameters = buildParameters(endpoint);
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
        content: { 'application/json': mediaType(body, bodyExample, bodyExamples) },
      },
    }),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: headerReferences([...headers, ...(answer.headers ?? [])]),
        ...answerContent(endpoint),
      },
      ...errorStatuses,
    },
  };
}

/** Parameter Objects for path, query and headers. */
export function buildParameters({
  parameters = {},
  query,
  headers = [],
}: Pick<EndpointSpec, 'parameters' | 'query' | 'headers'>): readonly object[] {
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

/** Lists also have a CSV response. Its example is the header line. */
function answerContent(endpoint: EndpointSpec): { readonly content?: Json } {
  const { schema, example, texts = {} } = endpoint.answer;
  const all = {
    ...(isList(endpoint) && {
      'text/csv': `${listColumns(getItemSchema(endpoint))
        .map(({ name }) => name)
        .join(',')}\r\n`,
    }),
    ...texts,
  };
  const content = {
    ...(schema && { 'application/json': mediaType(schema, example) }),
    ...Object.fromEntries(
      Object.entries(all).map(([type, text]) => [type, mediaType({ type: 'string' }, text)]),
    ),
  };
  return Object.keys(content).length === 0 ? {} : { content };
}

export function mediaType(
  schema: object,
  example: unknown,
  examples?: Readonly<Record<string, unknown>>,
): Json {
  if (examples === undefined)
    return { schema: portable(schema), ...(example !== undefined && { example }) };
  const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return { schema: portable(schema), examples: Object.fromEntries(named) };
}
