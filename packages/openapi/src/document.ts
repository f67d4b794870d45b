import { API_VERSION } from '@tidings/contracts/http';
import type { Endpoint } from '@tidings/api-spec/endpoint';
import { DEVICE_ENDPOINTS } from '@tidings/api-spec/endpoints/devices';
import { GATEWAY_ENDPOINTS } from '@tidings/api-spec/endpoints/gateway';
import { extractComponents } from './components.ts';
import { HEADERS, headerReferences } from '@tidings/api-spec/headers';
import { keyPaths, keyErrorGroups } from './key-paths.ts';
import { endpointOperation, listErrorStatuses, toPathTemplate, type Json } from './operation.ts';
import { DEFAULT_GROUP, errorResponses, errorResponseComponents } from './error-responses.ts';
import { TAGS } from './tags.ts';
import { WEBHOOKS } from './webhooks.ts';

const SECURITY_SCHEMES: Json = {
  applicationId: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Application-Id',
    description: 'The application id.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A Server key (`sk_…`), or a Client key (`ck_…`) where it is allowed.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-sid',
    description:
      'A dashboard session (over plain http on loopback the cookie is `tidings-sid`). Requests that change something must be same-origin and send `X-CSRF-Token` with the value from `GET /api/v1/session`. A GET may name the application by `?applicationId=` instead of the header.',
  },
  administratorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An administrator token (`at_…`).',
  },
};

const DESCRIPTION = [
  'Self-hosted events and messaging: send events and users in, send messages out, and get an outcome for every message and every recipient.',
  '',
  '- **Versions.** `/` and `/push` are version 1 and stay so. `/v1` and `/v1/push` are aliases.',
  '- **Errors.** Every response with status 400 or above is `application/problem+json` (RFC 9457), even for malformed HTTP. Unknown paths get 404.',
  '- **HTTPS.** A request that a trusted proxy received by plain HTTP is not processed: GET and HEAD get 308 to https, all others 403 `https_required`.',
].join('\n');

const DOCUMENT_OPERATION: Json = {
  operationId: 'readOpenApi',
  tags: ['openapi'],
  summary: 'Read this OpenAPI document',
  security: [],
  responses: {
    200: {
      description: 'OpenAPI 3.1.',
      headers: headerReferences([]),
      content: {
        'application/json': {
          schema: { type: 'object', additionalProperties: true },
          example: { openapi: '3.1.0' },
        },
      },
    },
    ...errorResponses([500]),
  },
};

const KEY_ENDPOINTS = [...GATEWAY_ENDPOINTS, ...DEVICE_ENDPOINTS];

/**
 * The complete API as an OpenAPI 3.1 document: gateway, device endpoints, and these endpoints of
 * `/api/v1`.
 */
export function openApiDocument(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = { '/openapi.json': { get: DOCUMENT_OPERATION } };
  for (const endpoint of endpoints) {
    const path = `/api/v1/${toPathTemplate(endpoint.path)}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: endpointOperation(endpoint) };
  }
  const responses = errorResponseComponents([
    { ...DEFAULT_GROUP, statuses: [500, ...endpoints.flatMap(listErrorStatuses)] },
    ...keyErrorGroups(KEY_ENDPOINTS),
  ]);
  const { document, schemas } = extractComponents({
    paths: { ...keyPaths(KEY_ENDPOINTS), ...paths },
    webhooks: WEBHOOKS,
    responses,
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Tidings', version: API_VERSION, description: DESCRIPTION },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/', description: 'The host that served this document.' }],
    tags: TAGS,
    paths: document['paths'],
    webhooks: document['webhooks'],
    components: {
      schemas,
      responses: document['responses'],
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
