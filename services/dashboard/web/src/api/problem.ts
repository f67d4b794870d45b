import type { FieldError, Problem } from '@tidings/contracts';

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

export function statusOf(error: unknown): number | null {
  return error instanceof ApiError ? error.problem.status : null;
}

export function fieldErrorsOf(error: unknown): readonly FieldError[] {
  return error instanceof ApiError ? (error.problem.errors ?? []) : [];
}

const FAULTS: Readonly<Record<string, string>> = {
  required: 'This is needed',
  empty: 'This is needed',
  wrong_type: 'This is of the wrong kind',
  out_of_range: 'This is out of range',
  invalid_value: 'This is not valid',
  too_long: 'This is too long',
  too_many: 'These are too many',
  exactly_one_of: 'Exactly one of these is needed',
  nul_not_allowed: 'There is a character in it that cannot be kept',
};

/** A fault of one field as a sentence: `This is not valid: a domain.` */
export function sentenceOfFault({ code, expected }: FieldError): string {
  const fault = FAULTS[code] ?? code;
  return expected === undefined ? `${fault}.` : `${fault}: ${expected}.`;
}

/** What to tell somebody when something they did was refused. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.problem.detail ?? error.problem.title;
  if (error instanceof ConnectionError) return error.message;
  return 'Something went wrong in this page. Reload it, and tell whoever looks after it if that does not help.';
}
