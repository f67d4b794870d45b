import { ERROR_CODES, PROBLEM_TYPE, type ErrorCode, type Problem } from '@tidings/contracts';
import { ProblemSchema } from '@tidings/api-spec/schemas';
import { headerReferences, RATE_HEADERS } from '@tidings/api-spec/headers';
import { portable } from './portable.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

const NAMES: Readonly<Record<number, string>> = {
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

/** What is refused whatever the address does: another method (405), and what the HTTP parser cannot take in (400, 408, 431). */
export const REFUSALS_OF_ALL = [400, 405, 408, 431];

/** Refused before anybody looks at who asks: without what only the address knows. */
const BEFORE_THE_ADDRESS: ReadonlySet<number> = new Set([405, 408, 431]);

/** Statuses whose answers say when to try again. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** A kind of address whose refusals have more headers than those of every answer. */
export type Refusing = {
  readonly prefix: '' | 'Ingest' | 'Push' | 'Sdk';
  readonly headers: readonly string[];
};
export const PLAIN: Refusing = { prefix: '', headers: [] };

/** The answers of these statuses, by reference to what {@link refusalComponents} has. */
export function refusalAnswers(
  statuses: readonly number[],
  { prefix }: Refusing = PLAIN,
): Record<string, unknown> {
  return Object.fromEntries(
    [...new Set([...statuses, ...REFUSALS_OF_ALL])]
      .toSorted((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/${nameOf(status, prefix)}` }]),
  );
}

/** Response Objects of these kinds of addresses: each a problem with one of the codes that have its status. */
export function refusalComponents(
  kinds: readonly (Refusing & { readonly statuses: readonly number[] })[],
): Record<string, unknown> {
  return Object.fromEntries(
    kinds.flatMap((kind) =>
      [...new Set([...kind.statuses, ...REFUSALS_OF_ALL])].map((status) => [
        nameOf(status, kind.prefix),
        answerOf(status, kind),
      ]),
    ),
  );
}

function nameOf(status: number, prefix: Refusing['prefix']): string {
  return `${BEFORE_THE_ADDRESS.has(status) ? '' : prefix}${NAMES[status] ?? status}`;
}

function answerOf(status: number, { headers }: Refusing): Record<string, unknown> {
  const codes = CODES.filter((code) => ERROR_CODES[code].status === status);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}`).join('. '),
    headers: headerReferences([
      ...(BEFORE_THE_ADDRESS.has(status) ? [] : headers),
      ...(status === 405 ? ['Allow'] : []),
      // Where every answer tells of a rate, they are there already.
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
