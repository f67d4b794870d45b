import { columnsOf, isList, itemSchemaOf } from '../lists.ts';
import type { Endpoint } from '../endpoint.ts';
import { headerReferences } from './headers.ts';
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

/** The path as OpenAPI writes it: `keys/:keyId` is `/api/v1/keys/{keyId}`. */
export function pathOf({ path }: Pick<Endpoint, 'path'>): string {
  return `/api/v1/${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/** Every status that an endpoint can answer with, besides that of success. */
export function refusalStatuses({ access, body, refusals = [] }: Endpoint): readonly number[] {
  const ofAccess = REFUSALS_OF_ACCESS[access];
  const ofBody = body === undefined ? [] : [413, 415];
  return [...ofAccess, ...refusals, ...ofBody, 500, 503];
}

/** The Operation Object of an endpoint. */
export function operationOf(endpoint: Endpoint): Json {
  const {
    method,
    path,
    access,
    summary,
    description,
    parameters = {},
    query,
    headers = [],
    body,
    bodyExample,
    answer,
  } = endpoint;
  const [tag = ''] = path.split('/');
  return {
    operationId: `${method.toLowerCase()} ${path}`.replaceAll(
      /[^A-Za-z]+(\w)/g,
      (_, letter: string) => letter.toUpperCase(),
    ),
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: SECURITY[access],
    parameters: [
      ...Object.entries(parameters).map(([name, schema]) => ({
        name,
        in: 'path',
        required: true,
        schema,
      })),
      ...Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
        name,
        in: 'query',
        schema,
      })),
      ...headers,
    ],
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': contentOf(body, bodyExample) },
      },
    }),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: headerReferences([
          ...(answer.headers ?? []),
          ...(isList(endpoint) ? ['Content-Disposition'] : []),
        ]),
        ...answerContent(endpoint),
      },
      ...refusalAnswers(refusalStatuses(endpoint)),
    },
  };
}

/** Lists are files too, of which the first line names the columns. */
function answerContent(endpoint: Endpoint): { readonly content?: Json } {
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
  return { schema, ...(example !== undefined && { example }) };
}
