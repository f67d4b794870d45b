import type { ErrorCode, FieldError } from '@tidings/contracts';

/** An error with an answer: `code` fixes the status, `detail` is a sentence the caller may read. */
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
    // An answer that is meant: where it was decided helps nobody, and to look that up is a good part of a refusal's cost.
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

/** For the end of an exhaustive switch: a new member of the union does not compile. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
