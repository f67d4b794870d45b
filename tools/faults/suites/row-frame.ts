import type { Run, Violation } from '../fault-row.ts';
import { alarmsSince, markLogs } from '../oracles/logs.ts';

/** A pod's limit is 512 MiB. */
const RESIDENT_BYTES_MAX = 400 * 1024 * 1024;
const MIB = 1024 * 1024;
const EXAMPLES_MAX = 5;
/** Much longer than most rows, so that a hanging row does not block the others. */
const ROW_WITHIN_MS = 600_000;

/** Aborts when a row must end. */
export function createEnding(
  signal: AbortSignal | undefined,
  withinMs = ROW_WITHIN_MS,
): AbortSignal {
  return AbortSignal.any([
    AbortSignal.timeout(withinMs),
    ...(signal === undefined ? [] : [signal]),
  ]);
}

/** Adds an oracle's findings to the violations, with a few examples. */
export function report(
  { violations }: Pick<Run, 'violations'>,
  oracle: Violation['oracle'],
  faults: readonly string[],
): void {
  for (const what of faults.slice(0, EXAMPLES_MAX)) violations.push({ oracle, what });
  if (faults.length > EXAMPLES_MAX)
    violations.push({ oracle, what: `… and ${faults.length - EXAMPLES_MAX} more` });
}

/** Runs a step of a row; a failure is a violation, and the row continues with its oracles. */
export async function step(
  { violations }: Pick<Run, 'violations'>,
  action: () => Promise<void>,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    violations.push({
      oracle: 'in time',
      what: `the row did not finish: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

/** Watches what every row is checked for: memory, and alarming log lines. */
export function watchServices({ rig, violations }: Pick<Run, 'rig' | 'violations'>): {
  finish(): Record<string, string>;
} {
  const marks = markLogs(rig.logDir);
  rig.memory.begin();
  return {
    finish() {
      const peaks = [...rig.memory.peaks()];
      report(
        { violations },
        'healthy',
        peaks
          .filter(([, { most }]) => most > RESIDENT_BYTES_MAX)
          .map(([name, { most }]) => `${name} had ${Math.round(most / MIB)} MiB`),
      );
      for (const what of alarmsSince(rig.logDir, marks))
        violations.push({ oracle: 'healthy', what });
      return Object.fromEntries(
        peaks.map(([name, { first, most }]) => [
          name,
          `${Math.round(first / MIB)} → ${Math.round(most / MIB)}`,
        ]),
      );
    },
  };
}

/** In time: durations over their limit, excluding CPU waits. */
export function checkRecoveries(run: Pick<Run, 'recoveries' | 'violations'>): void {
  const late = run.recoveries.filter(
    ({ ms, cpuWaitMs, msMax }) => ms === null || ms - cpuWaitMs > msMax,
  );
  report(
    run,
    'in time',
    late.map(
      ({ what, ms, msMax }) =>
        `${what}: ${ms === null ? 'never' : `${Math.round(ms)} ms`}, not within ${msMax} ms`,
    ),
  );
}
