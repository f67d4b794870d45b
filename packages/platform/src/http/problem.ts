import { ERROR_CODES, FIELD_ERRORS_MAX, type Problem } from '@tidings/contracts/errors/error-codes';
import { API_VERSION, PROBLEM_TYPE } from '@tidings/contracts/http';
import type { ServerResponse } from 'node:http';
import type { AppError } from '../app-error.ts';

/** Alternating header names and values, as Node writes them. */
export type HeaderList = readonly string[];

/** The RFC 9457 body of an error. */
export function toProblem(error: AppError, requestId: string): Problem {
  const { status, title } = ERROR_CODES[error.code];
  const errors = error.errors?.slice(0, FIELD_ERRORS_MAX);
  return {
    type: `urn:tidings:error:${error.code}`,
    title,
    status,
    code: error.code,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    requestId,
    ...(errors === undefined ? {} : { errors }),
    ...((error.errors?.length ?? 0) > FIELD_ERRORS_MAX ? { errorsTruncated: true as const } : {}),
  };
}

/**
 * Sends an error as problem+json with its status, request id, version, optional `Retry-After` and
 * further `headers`.
 */
export function sendProblem(
  res: ServerResponse,
  error: AppError,
  { requestId, headers = [] }: { readonly requestId: string; readonly headers?: HeaderList },
): void {
  const body = JSON.stringify(toProblem(error, requestId));
  const retryAfter =
    error.retryAfterSeconds === undefined ? [] : ['Retry-After', String(error.retryAfterSeconds)];
  // All headers in one call: setting them one by one costs more than the rest of the response.
  res.writeHead(ERROR_CODES[error.code].status, [
    'X-Request-Id',
    requestId,
    'API-Version',
    API_VERSION,
    ...headers,
    ...retryAfter,
    'Content-Type',
    PROBLEM_TYPE,
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]);
  // A string is sent together with the headers in one write.
  res.end(body);
}
