import { createLogger, DROPPED, type Logger } from '@tidings/platform';

/** A logger whose lines a test can read. It fails on a field that `LOGGED_FIELDS` does not declare. */
export function createRecordingLogger(): {
  readonly logger: Logger;
  readonly lines: Record<string, unknown>[];
} {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('test', 'debug', {
    write(line: string) {
      const fields = JSON.parse(line) as Record<string, unknown>;
      const undeclared = Object.keys(fields).filter((name) => fields[name] === DROPPED);
      if (undeclared.length > 0)
        throw new Error(`LOGGED_FIELDS does not declare ${undeclared.join(', ')}.`);
      lines.push(fields);
    },
  });
  return { logger, lines };
}
