import { ERROR_CODES, type ErrorCode, type Problem } from '@tidings/contracts/errors/error-codes';
import { PROBLEM_TYPE } from '@tidings/contracts/http';
import { ProblemSchema } from '@tidings/api-spec/schemas';
import { headerReferences, RATE_HEADERS } from '@tidings/api-spec/headers';
import { portable } from './portable.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

const RESPONSE_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'InternalError',
  503: 'Unavailable',
};

/**
 * Error statuses of every path: another method (405), and requests that the HTTP parser rejects
 * (400, 408, 431).
 */
const COMMON_STATUSES = [400, 405, 408, 431];

/** Rejected before routing, so these responses have no headers of the endpoint. */
const BEFORE_ROUTING: ReadonlySet<number> = new Set([405, 408, 431]);

/** Statuses with a Retry-After header. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** Endpoints whose error responses have additional headers. */
export type ErrorGroup = {
  readonly prefix: '' | 'Ingest' | 'Push' | 'Sdk';
  readonly headers: readonly string[];
};
export const DEFAULT_GROUP: ErrorGroup = { prefix: '', headers: [] };

/** Error responses by status, as references to {@link errorResponseComponents}. */
export function errorResponses(
  statuses: readonly number[],
  { prefix }: ErrorGroup = DEFAULT_GROUP,
): Record<string, unknown> {
  return Object.fromEntries(
    [...new Set([...statuses, ...COMMON_STATUSES])]
      .toSorted((a, b) => a - b)
      .map((status) => [
        status,
        { $ref: `#/components/responses/${responseName(status, prefix)}` },
      ]),
  );
}

/** The Response Objects of these groups. Each is a Problem with one of the codes of its status. */
export function errorResponseComponents(
  kinds: readonly (ErrorGroup & { readonly statuses: readonly number[] })[],
): Record<string, unknown> {
  return Object.fromEntries(
    kinds.flatMap((kind) =>
      [...new Set([...kind.statuses, ...COMMON_STATUSES])].map((status) => [
        responseName(status, kind.prefix),
        errorResponse(status, kind),
      ]),
    ),
  );
}

function responseName(status: number, prefix: ErrorGroup['prefix']): string {
  return `${BEFORE_ROUTING.has(status) ? '' : prefix}${RESPONSE_NAMES[status] ?? status}`;
}

function errorResponse(status: number, { headers }: ErrorGroup): Record<string, unknown> {
  const codes = CODES.filter((code) => ERROR_CODES[code].status === status);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}`).join('. '),
    headers: headerReferences([
      ...(BEFORE_ROUTING.has(status) ? [] : headers),
      ...(status === 405 ? ['Allow'] : []),
      // Groups with headers already have the rate limit headers.
      ...(status === 429 && headers.length === 0 ? RATE_HEADERS : []),
      ...(WITH_RETRY_AFTER.has(status) ? ['Retry-After'] : []),
    ]),
    content: {
      [PROBLEM_TYPE]: {
        schema: portable(ProblemSchema),
        examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])),
      },
    },
  };
}

function problemExample(code: ErrorCode): Problem {
  return {
    type: `urn:tidings:error:${code}`,
    ...ERROR_CODES[code],
    code,
    requestId: '01a1fda0-848f-725a-80f0-dd4cca31ca29',
    ...(code === 'validation_failed' && {
      errors: [{ pointer: '/name', code: 'wrong_type', expected: 'string' }],
    }),
  };
}
