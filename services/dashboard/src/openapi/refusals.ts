import { ERROR_CODES, type ErrorCode, type Problem } from '@tidings/contracts';
import { PROBLEM_TYPE } from '@tidings/platform';
import { ProblemSchema } from '../routes/schemas.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** Statuses whose answers say when to try again. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** The answers of these statuses, each a problem with one of the codes that have it; `headers` beside those of every answer. */
export function refusalAnswers(statuses: readonly number[], headers: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = CODES.filter((code) => ERROR_CODES[code].status === status);
      return [
        status,
        {
          description: codes.map((code) => `\`${code}\``).join(', '),
          headers: {
            'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
            'API-Version': { $ref: '#/components/headers/API-Version' },
            ...headers,
            ...(WITH_RETRY_AFTER.has(status) && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
          },
          content: { [PROBLEM_TYPE]: { schema: ProblemSchema, examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])) } },
        },
      ];
    }),
  );
}

function problemExample(code: ErrorCode): Problem {
  return {
    type: `urn:tidings:error:${code}`,
    ...ERROR_CODES[code],
    code,
    requestId: '01a1fda0-848f-725a-80f0-dd4cca31ca29',
    ...(code === 'validation_failed' && { errors: [{ pointer: '/name', code: 'wrong_type', expected: 'string' }] }),
  };
}
