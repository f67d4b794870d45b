import { paceOf, type Pace } from '@tidings/delivery/pace';
import type { Sql } from '@tidings/postgres/database';
import { toMs } from '@tidings/segments/durations';
import { readProgram } from './programs.ts';
import type { VersionNow } from './version-now.ts';

/** The pace of an automation: that of its newest version, for all its runs. Null: as they come. */
export async function readPace(
  sql: Sql,
  { automation: { id, liveVersion }, program, version }: VersionNow,
): Promise<Pace | null> {
  const { definition } =
    liveVersion === null || liveVersion === version
      ? program
      : await readProgram(sql, { automationId: id, version: liveVersion });
  const { throttle } = definition;
  return throttle === undefined
    ? null
    : paceOf({ sends: throttle.sends, perMs: toMs(throttle.per) });
}
