import { pino, type DestinationStream, type Logger } from 'pino';
import { loggedError } from './logged-errors.ts';
import { loggedFields } from './logged-fields.ts';
import { currentTraceparent } from './tracing/spans.ts';
import { parseTraceparent } from './tracing/traceparent.ts';

export type { Logger };

/** Inside the objects and lists of declared fields: names that may hold a person's data or a secret. */
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

/** A logger of JSON lines on standard output; one constant message per line, facts in declared fields. */
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
    mixin: () => ({ ...traceOf(currentTraceparent()) }),
    serializers: { err: (error: unknown) => loggedError(error) },
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
  };
  return pino(options, destination);
}

/** So that a line is found from its trace and the trace from a line. */
function traceOf(traceparent: string | undefined): {
  readonly traceId?: string;
  readonly spanId?: string;
} {
  const { traceId, spanId } =
    (traceparent === undefined ? null : parseTraceparent(traceparent)) ?? {};
  return traceId === undefined || spanId === undefined ? {} : { traceId, spanId };
}

/** Written line by line: pino's own writes behind the process, and at its exit the last lines come out of order. */
function standardOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: true });
}
