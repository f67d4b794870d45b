import { WORDS, type FieldError, type Problem } from '@tidings/contracts';

/** An answer of 400 and above, as the interface gives it. */
export class ApiError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail ?? problem.title);
    this.name = 'ApiError';
    this.problem = problem;
  }
}

/** No answer at all: the network, or the service is away. */
export class ConnectionError extends Error {
  constructor(cause: unknown) {
    super('The service cannot be reached.', { cause });
    this.name = 'ConnectionError';
  }
}

export function httpStatus(error: unknown): number | null {
  return error instanceof ApiError ? error.problem.status : null;
}

export function readFieldErrors(error: unknown): readonly FieldError[] {
  return error instanceof ApiError ? (error.problem.errors ?? []) : [];
}

/** A fault of one field in sentences: `It is none of the values there are. Expected: a domain.` */
export function fieldErrorMessage({ code, expected }: FieldError): string {
  const { summary } = WORDS.field[code] ?? { summary: `${code}.` };
  return expected === undefined ? summary : `${summary} Expected: ${expected}.`;
}

/** What to tell somebody when something they did was refused. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiError) return error.problem.detail ?? error.problem.title;
  if (error instanceof ConnectionError) return error.message;
  return 'Something went wrong in this page. Reload it, and tell whoever looks after it if that does not help.';
}
