import { isNativeError } from 'node:util/types';

/** An error as logged. Other properties are dropped: they contain rows, queries and responses. */
export type LoggedError = {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
  readonly [property: string]: unknown;
};

const MESSAGE_MAX = 500;
const FRAMES_MAX = 20;
const CAUSES_MAX = 4;
/**
 * Codes and schema names. Never `detail`, `where`, `hint`, `parameters`, `meta` or `response`,
 * which contain values.
 */
const PROPERTIES = [
  'code',
  'errno',
  'syscall',
  'status',
  'statusCode',
  'responseCode',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'retriable',
];
const CODE = /^[\w.-]{1,64}$/;
const SQL_STATE = /^[0-9A-Z]{5}$/;
const E_MAIL = /[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/g;

/** A serializer for pino's `err` field. */
export function loggedError(error: unknown, causesLeft = CAUSES_MAX): unknown {
  if (!isError(error)) return { type: typeof error, message: '[dropped]' };
  const type = error.name;
  const message = readMessage(error);
  const frames = parseFrames(error);
  const known = Object.fromEntries(PROPERTIES.flatMap((name) => knownProperty(error, name)));
  return {
    type,
    message,
    ...known,
    ...(frames.length > 0 && { stack: [`${type}: ${message}`, ...frames].join('\n') }),
    ...(error.cause !== undefined &&
      causesLeft > 0 && { cause: loggedError(error.cause, causesLeft - 1) }),
  };
}

/** In Jest, tests have their own `Error` class, which Node's errors do not extend. */
function isError(error: unknown): error is Error {
  return error instanceof Error || isNativeError(error);
}

function readMessage(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // Prisma's messages repeat the query with its arguments.
  if (error.name.startsWith('PrismaClient')) return `${error.name} ${code}`.trim();
  // Postgres' data exceptions (class 22) and errors that SQL raises (class P0) quote the value; other classes name the schema.
  if ('severity' in error && SQL_STATE.test(code) && /^(22|P0)/.test(code))
    return `Postgres refused a value (${code})`;
  // `JSON.parse` quotes the text around the fault.
  if (error.name === 'SyntaxError' && /JSON/.test(error.message)) return 'invalid JSON';
  const [firstLine = ''] = error.message.split('\n', 1);
  return firstLine.slice(0, MESSAGE_MAX).replaceAll(E_MAIL, '[address]');
}

/** The stack without its first lines, which repeat the message. */
function parseFrames({ message, stack = '' }: Error): readonly string[] {
  const at = stack.indexOf(message);
  return (at < 0 ? stack : stack.slice(at + message.length))
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, FRAMES_MAX);
}

function knownProperty(error: Error, name: string): readonly (readonly [string, unknown])[] {
  const value: unknown = Reflect.get(error, name);
  const isPlain =
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && CODE.test(value));
  return isPlain ? [[name, value]] : [];
}
