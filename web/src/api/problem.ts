import type { FieldError, Problem } from '@tidings/contracts/errors/error-codes';
import { EXPLANATIONS } from '@tidings/contracts/errors/explanations/explanations';

/** A response with a status of 400 or above, with the service's problem details. */
export class ApiError extends Error {
  readonly problem: Problem;
  /** When the service wants the request again; null if it does not say. */
  readonly retryAfterMs: number | null;
  constructor(problem: Problem, retryAfterMs: number | null = null) {
    super(problem.detail ?? problem.title);
    this.name = 'ApiError';
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No response: the network failed, or the service is down. */
export class ConnectionError extends Error {
  constructor(cause: unknown) {
    super('Can’t reach the service. Check your connection and try again.', { cause });
    this.name = 'ConnectionError';
  }
}

export function httpStatus(error: unknown): number | null {
  return error instanceof ApiError ? error.problem.status : null;
}

export function readFieldErrors(error: unknown): readonly FieldError[] {
  return error instanceof ApiError ? (error.problem.errors ?? []) : [];
}

/** The message for one invalid field: `Wrong type: expected integer.` */
export function fieldErrorMessage({ code, expected, line, column }: FieldError): string {
  const { summary } = EXPLANATIONS.field[code] ?? { summary: `${code}.` };
  const place =
    line === undefined || column === undefined ? '' : `Line ${line}, column ${column}: `;
  return expected === undefined
    ? `${place}${summary}`
    : `${place}${summary.replace(/\.$/, '')}: expected ${expected}.`;
}

/** The message for a person whose action failed. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiError) return error.problem.detail ?? error.problem.title;
  if (error instanceof ConnectionError) return error.message;
  return 'Something went wrong on this page. Reload it. If that doesn’t help, contact your administrator.';
}
