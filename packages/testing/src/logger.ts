import { createLogger, type Logger } from '@tidings/platform';

/** A logger whose lines a test can read. */
export function createRecordingLogger(): { readonly logger: Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('test', 'debug', {
    write(line: string) {
      lines.push(JSON.parse(line) as Record<string, unknown>);
    },
  });
  return { logger, lines };
}
