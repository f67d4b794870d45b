import { pino, type DestinationStream, type Logger } from 'pino';
import { loggedError } from './logged-errors.ts';
import { loggedFields } from './logged-fields.ts';
import { currentTraceparent } from './tracing/spans.ts';
import { parseTraceparent } from './tracing/traceparent.ts';

export type { Logger };

/** Names inside objects and lists of declared fields that may hold personal data or secrets. */
const REDACTED = [
  'key',
  'apiKey',
  'token',
  'authorization',
  'password',
  'secret',
  'to',
  'address',
  'email',
  'phoneNumber',
  'body',
  'title',
  'headers',
  'recipients',
];
const REDACTED_PATHS = REDACTED.flatMap((path) => [`*.${path}`, `*.*.${path}`]);

/**
 * A logger that writes JSON lines, to standard output if not told otherwise: one constant message
 * per line, facts in declared fields.
 */
export function createLogger(
  service: string,
  level: string,
  destination: DestinationStream = standardOutput(),
): Logger {
  const options = {
    level,
    base: { service },
    timestamp: () => `,"at":${Date.now()}`,
    formatters: { level: (label: string) => ({ level: label }), log: loggedFields },
    mixin: () => ({ ...readTrace(currentTraceparent()) }),
    serializers: { err: (error: unknown) => loggedError(error) },
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
  };
  return pino(options, destination);
}

/** Links log lines and traces. */
function readTrace(traceparent: string | undefined): {
  readonly traceId?: string;
  readonly spanId?: string;
} {
  const { traceId, spanId } =
    (traceparent === undefined ? null : parseTraceparent(traceparent)) ?? {};
  return traceId === undefined || spanId === undefined ? {} : { traceId, spanId };
}

/**
 * Synchronous writes: pino's asynchronous ones lag behind the process, and at exit the last lines
 * appear out of order.
 */
function standardOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: true });
}

/** For commands whose standard output is their result. */
export function standardError(): DestinationStream {
  return pino.destination({ dest: 2, sync: true });
}
