import type { KeyEndpoint } from '@tidings/api-spec/endpoint';
import {
  PAGE_HEADERS,
  PREFLIGHT_HEADERS,
  RATE_HEADERS,
  headerReferences,
} from '@tidings/api-spec/headers';
import { buildOperation, buildParameters, toPathTemplate, type Json } from './operation.ts';
import { errorResponses, type ErrorGroup } from './error-responses.ts';

type Part = ErrorGroup & {
  /** Whether pages of any origin may send preflight requests. */
  readonly isOpenToPages: boolean;
};

/**
 * Responses to valid credentials have rate limit headers; those that browsers call have CORS
 * headers.
 */
const PARTS: Readonly<Record<KeyEndpoint['part'], Part>> = {
  ingest: { prefix: 'Ingest', headers: [...RATE_HEADERS, ...PAGE_HEADERS], isOpenToPages: true },
  push: { prefix: 'Push', headers: RATE_HEADERS, isOpenToPages: false },
  sdk: { prefix: 'Sdk', headers: [...RATE_HEADERS, ...PAGE_HEADERS], isOpenToPages: true },
};

const SECURITY = [{ applicationId: [], apiKey: [] }];

/** The paths of key endpoints, aliases included. */
export function keyPaths(endpoints: readonly KeyEndpoint[]): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    for (const served of [endpoint, ...listAliases(endpoint)]) {
      const path = toPathTemplate(served.path);
      paths[path] = { ...paths[path], ...buildOperations(served) };
    }
  }
  return paths;
}

/** The error response groups that these paths refer to. */
export function keyErrorGroups(
  endpoints: readonly KeyEndpoint[],
): readonly (ErrorGroup & { readonly statuses: readonly number[] })[] {
  return [...Map.groupBy(endpoints, ({ part }) => part)].map(([part, ofPart]) => ({
    ...PARTS[part],
    statuses: [...new Set(ofPart.flatMap(listStatuses))],
  }));
}

function listAliases(endpoint: KeyEndpoint): readonly KeyEndpoint[] {
  const { alias, name } = endpoint;
  return alias === undefined ? [] : [{ ...endpoint, path: alias, name: `${name}V1` }];
}

function buildOperations(endpoint: KeyEndpoint): Json {
  const { headers, isOpenToPages } = PARTS[endpoint.part];
  return {
    [endpoint.method.toLowerCase()]: buildOperation(endpoint, {
      tag: endpoint.part,
      security: SECURITY,
      headers,
      errorStatuses: errorResponses(listStatuses(endpoint), PARTS[endpoint.part]),
    }),
    ...(isOpenToPages && { options: buildPreflight(endpoint) }),
  };
}

/** Every error status of an endpoint. */
function listStatuses({ body, query, errorStatuses = [] }: KeyEndpoint): readonly number[] {
  const ofBody = body === undefined ? [] : [400, 413, 415];
  const ofQuery = query === undefined ? [] : [400];
  return [...ofBody, ...ofQuery, 403, 429, 500, 503, ...errorStatuses];
}

function buildPreflight({ name, part, parameters = {} }: KeyEndpoint): Json {
  const ofPath = buildParameters({ parameters });
  return {
    operationId: `preflight${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    tags: [part],
    summary: 'CORS preflight: any origin may call',
    description: 'The allowed origins of a Client key are checked on the call itself.',
    security: [],
    ...(ofPath.length > 0 && { parameters: ofPath }),
    responses: {
      204: { description: 'Allowed.', headers: headerReferences(PREFLIGHT_HEADERS) },
      ...errorResponses([500]),
    },
  };
}
