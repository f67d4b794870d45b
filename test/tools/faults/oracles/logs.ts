import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a service says when something happened to it that nobody expected, when it finds a counter wrong, or when it ends with work in flight. */
const ALARMS =
  /unhandled rejection|uncaught exception|unhandledRejection|FATAL ERROR|ERR_UNHANDLED|heap out of memory|counter of a campaign differs|drain deadline reached/;

/** How far each log had come, so that a row answers only for what was written while it ran. */
export type LogMarks = ReadonlyMap<string, number>;

export function markLogs(logDir: string): LogMarks {
  return new Map(logFiles(logDir).map((file) => [file, readFileSync(join(logDir, file)).length]));
}

/** Lines since the marks that nobody may write. */
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
