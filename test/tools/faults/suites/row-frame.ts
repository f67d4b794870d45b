import type { Run, Violation } from '../fault-row.ts';
import { alarmsSince, markLogs } from '../oracles/logs.ts';

/** A pod's limit is 512 MiB. */
const RESIDENT_BYTES_MAX = 400 * 1024 * 1024;
const MIB = 1024 * 1024;
const EXAMPLES_MAX = 5;
/** Far longer than most rows take: one that hangs must not keep the others from their turn. */
const ROW_WITHIN_MS = 600_000;

/** Aborts when a row has to come to its end. */
export function endingOf(signal: AbortSignal | undefined, withinMs = ROW_WITHIN_MS): AbortSignal {
  return AbortSignal.any([
    AbortSignal.timeout(withinMs),
    ...(signal === undefined ? [] : [signal]),
  ]);
}

/** Adds what an oracle found to the violations of a run, some examples of many. */
export function report(
  { violations }: Pick<Run, 'violations'>,
  oracle: Violation['oracle'],
  faults: readonly string[],
): void {
  for (const what of faults.slice(0, EXAMPLES_MAX)) violations.push({ oracle, what });
  if (faults.length > EXAMPLES_MAX)
    violations.push({ oracle, what: `… and ${faults.length - EXAMPLES_MAX} more` });
}

/** Does a step of a row; one that fails is a violation, and the row goes on to its oracles. */
export async function step(
  { violations }: Pick<Run, 'violations'>,
  action: () => Promise<void>,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    violations.push({
      oracle: 'in time',
      what: `the row did not come to its end: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

/** Begins to watch what every row has to answer for: memory, and lines of the logs that nobody may write. */
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

/** In time: what came later than it may, without the time for which the machine had no CPU. */
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
