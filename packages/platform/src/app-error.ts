import type { ErrorCode, FieldError } from '@tidings/contracts/errors/error-codes';

/**
 * An error with a response: `code` determines the status, `detail` is a sentence for the caller.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    detail?: string,
    options: {
      readonly cause?: unknown;
      readonly errors?: readonly FieldError[];
      readonly retryAfterSeconds?: number;
    } = {},
  ) {
    // An expected error needs no stack trace, and capturing one is a large part of the cost of a
    // rejection.
    const { stackTraceLimit } = Error;
    if (options.cause === undefined && code !== 'internal') Error.stackTraceLimit = 0;
    super(detail ?? code, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'AppError';
    this.code = code;
    this.detail = detail;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Ends an exhaustive switch: a new member of the union does not compile. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
