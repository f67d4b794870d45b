import type { ErrorCode, FieldError, Problem } from '@tidings/contracts/errors/error-codes';
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
    : `${place}${summary.replace(/\.$/, '')}: expected ${TYPE_NAMES.get(expected) ?? expected}.`;
}

/** Types of JSON, as people call them. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['string', 'text'],
  ['boolean', 'yes or no'],
  ['array', 'a list'],
  ['object', 'several values'],
]);

const RELOAD = 'Reload the page and try again.';

/** Where the text of the service is for programmers. Texts of other codes are for people. */
const PAGE_TEXTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_json: `The service could not read what this page sent. ${RELOAD}`,
  validation_failed: 'Some values are not valid. Nothing was stored.',
  https_required: 'Open this page with https.',
  forbidden: 'You are not permitted to do this.',
  ip_not_allowed: 'Your network is not on the allow-list of the application.',
  csrf_rejected: RELOAD,
  not_found: 'It does not exist, or belongs to another application.',
  method_not_allowed: `The service does not know what this page asked for. ${RELOAD}`,
  request_timeout: 'It took too long to arrive. Check your connection and try again.',
  payload_too_large: 'It is too large. Shorten it, or send it in parts.',
  unsupported_media_type: `The service could not read what this page sent. ${RELOAD}`,
  headers_too_large: RELOAD,
  internal: 'The service failed. Try again, and report the request ID if it keeps failing.',
};

/** The message for a person whose action failed. The code decides; the service's own text is `errorDetail`. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiError)
    return PAGE_TEXTS[error.problem.code] ?? error.problem.detail ?? error.problem.title;
  if (error instanceof ConnectionError) return error.message;
  return 'Something went wrong on this page. Reload it. If that doesn’t help, contact your administrator.';
}

/** The service's own text, if the page says something else. */
export function errorDetail(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const { code, detail, title } = error.problem;
  const text = detail ?? title;
  const places = readFieldErrors(error).map(({ pointer }) => pointer);
  return PAGE_TEXTS[code] === undefined || text === errorMessage(error)
    ? null
    : [text, ...places].join(' ');
}
