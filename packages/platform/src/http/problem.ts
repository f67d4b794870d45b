import { ERROR_CODES, FIELD_ERRORS_MAX, type Problem } from '@tidings/contracts';
import type { ServerResponse } from 'node:http';
import type { AppError } from '../app-error.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** The RFC 9457 body of an error. */
export function problemOf(error: AppError, requestId: string): Problem {
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

/** Answers with an error: status, `Retry-After` where one is known, problem+json. */
export function sendProblem(res: ServerResponse, error: AppError, requestId: string): void {
  // Text goes out together with the headers, in one write.
  const body = JSON.stringify(problemOf(error, requestId));
  res.statusCode = ERROR_CODES[error.code].status;
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(error.retryAfterSeconds));
  res.setHeader('Content-Type', PROBLEM_TYPE);
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}
