import { API_VERSION } from '@tidings/platform';
import type { Endpoint } from '../routes/endpoint.ts';
import { extractComponents } from './components.ts';
import { GATEWAY_PATHS } from './gateway-paths.ts';
import { operationOf, pathOf, type Json } from './operation.ts';
import { refusalAnswers } from './refusals.ts';

const integerHeader = (description: string): Json => ({ description, schema: { type: 'integer' } });

const HEADERS: Json = {
  'X-Request-Id': { description: 'The id of this request.', schema: { type: 'string', format: 'uuid' } },
  'API-Version': { description: 'The version of the interface.', schema: { type: 'string' }, example: API_VERSION },
  'Retry-After': integerHeader('Seconds after which to try again.'),
  'RateLimit-Limit': integerHeader('Requests at once.'),
  'RateLimit-Remaining': integerHeader('Requests left now.'),
  'RateLimit-Reset': integerHeader('Seconds until all of them are left again.'),
};

const SECURITY_SCHEMES: Json = {
  applicationId: { type: 'apiKey', in: 'header', name: 'X-Application-Id', description: 'The application.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A Server key (`sk_…`), or a Client key (`ck_…`) where it is allowed.' },
  administratorToken: { type: 'http', scheme: 'bearer', description: 'An administrator token (`at_…`).' },
};

const OF_THIS_DOCUMENT: Json = {
  operationId: 'readOpenApi',
  tags: ['openapi'],
  summary: 'This document',
  security: [],
  responses: {
    200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' }, example: { openapi: '3.1.0' } } } },
    ...refusalAnswers([400, 500]),
  },
};

/** The whole interface as an OpenAPI 3.1 document: the gateway's addresses, and these endpoints of `/api/v1`. */
export function openApiDocument(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = { '/openapi.json': { get: OF_THIS_DOCUMENT } };
  for (const endpoint of endpoints) {
    const path = pathOf(endpoint);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  const { document, schemas } = extractComponents({ ...GATEWAY_PATHS, ...paths });
  return {
    openapi: '3.1.0',
    info: { title: 'Tidings', version: API_VERSION, description: 'Events and users in, messages out, an outcome for every message and every recipient.' },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    paths: document,
    components: { schemas, headers: HEADERS, securitySchemes: SECURITY_SCHEMES },
  };
}
