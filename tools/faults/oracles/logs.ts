import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Log messages for unexpected errors, wrong counters, or an exit with work in flight. */
const ALARMS =
  /unhandled rejection|uncaught exception|unhandledRejection|FATAL ERROR|ERR_UNHANDLED|heap out of memory|counter of a campaign differs|drain deadline reached/;

/** End of each log before a row, so that only later lines count. */
export type LogMarks = ReadonlyMap<string, number>;

export function markLogs(logDir: string): LogMarks {
  return new Map(logFiles(logDir).map((file) => [file, readFileSync(join(logDir, file)).length]));
}

/** Alarming lines since the marks. */
export function alarmsSince(logDir: string, marks: LogMarks): readonly string[] {
  return logFiles(logDir).flatMap((file) => {
    const text = readFileSync(join(logDir, file))
      .subarray(marks.get(file) ?? 0)
      .toString();
    return text
      .split('\n')
      .filter((line) => ALARMS.test(line))
      .map((line) => `${file}: ${line.slice(0, 400)}`);
  });
}

function logFiles(logDir: string): string[] {
  return readdirSync(logDir).filter(
    (file) => file.endsWith('.log') && !/^(kafka|postgres|redis)/.test(file),
  );
}
