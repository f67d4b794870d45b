import { expect, test } from '@jest/globals';
import { loggedError } from './logged-errors.ts';
import { createLogger } from './logger.ts';

/** The log line of an error. */
function lineOf(error: unknown): string {
  const lines: string[] = [];
  createLogger('example', 'info', { write: (line: string) => void lines.push(line) }).error(
    { err: error },
    'failed',
  );
  return lines.join('');
}

function named(
  name: string,
  message: string,
  properties: Readonly<Record<string, unknown>> = {},
): Error {
  return Object.assign(new Error(message), { name, ...properties });
}

function jsonFault(): unknown {
  try {
    return JSON.parse('{"phone":canary}');
  } catch (error) {
    return error;
  }
}

test.each([
  [
    'a row in Postgres',
    named('error', 'duplicate key', {
      severity: 'ERROR',
      code: '23505',
      detail: 'Key (a)=(canary)',
      where: 'canary',
    }),
  ],
  [
    'a value that Postgres rejects',
    named('error', 'invalid input syntax for type uuid: "canary"', {
      severity: 'ERROR',
      code: '22P02',
    }),
  ],
  [
    'the arguments of a query',
    named('PrismaClientValidationError', 'Invalid invocation:\n{ email: "canary" }', {
      meta: { value: 'canary' },
    }),
  ],
  ['a text that is no JSON', jsonFault()],
  [
    'the answer of a mail server',
    named('Error', '550 <canary@example.com> unknown', {
      response: '550 canary',
      rejected: ['canary'],
    }),
  ],
  ['a code that is a sentence', named('Error', 'failed', { code: 'the user canary' })],
  ['further lines', named('Error', 'failed\n    at canary')],
  ['a cause', new Error('failed', { cause: named('Error', 'failed', { parameters: ['canary'] }) })],
  ['what is no error', { user: 'canary' }],
  ['a text that is thrown', 'canary'],
])('the log does not have %s', (_what, error) => {
  expect(lineOf(error)).toContain('"err":{');
  expect(lineOf(error)).not.toContain('canary');
});

test('the log has type, message, codes, names of the schema, stack and causes', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), {
    code: 'ECONNREFUSED',
    errno: -111,
    syscall: 'connect',
  });
  const error = Object.assign(new TypeError('store failed', { cause }), {
    severity: 'ERROR',
    code: '23505',
    table: 'users',
    constraint: 'users_key',
  });

  expect(loggedError(error)).toEqual({
    type: 'TypeError',
    message: 'store failed',
    severity: 'ERROR',
    code: '23505',
    table: 'users',
    constraint: 'users_key',
    stack: expect.stringMatching(/^TypeError: store failed\n +at .*logged-errors\.test\.ts/),
    cause: expect.objectContaining({
      message: 'connect ECONNREFUSED',
      code: 'ECONNREFUSED',
      errno: -111,
      syscall: 'connect',
    }),
  });
});

test('a message is one line of bounded length, and a chain of causes ends', () => {
  const circular = new Error('x'.repeat(10_000));
  circular.cause = circular;

  expect(loggedError(circular)).toMatchObject({ message: 'x'.repeat(500) });
  expect(lineOf(circular).length).toBeLessThan(20_000);
});
