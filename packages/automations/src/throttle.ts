import { paceOf, type Pace } from '@tidings/delivery/pace';
import type { Sql } from '@tidings/postgres/database';
import { toMs } from '@tidings/segments/durations';
import type { Program } from './program.ts';
import { readProgram } from './programs.ts';
import type { Run } from './run.ts';
import type { VersionNow } from './version-now.ts';

/** The pace of an automation: that of its newest version, for all its runs. Null: as they come. */
export async function readPace(
  sql: Sql,
  { automation: { id, liveVersion }, program, version }: VersionNow,
): Promise<Pace | null> {
  return paceIn(
    liveVersion === null || liveVersion === version
      ? program
      : await readProgram(sql, { automationId: id, version: liveVersion }),
  );
}

/**
 * Of runs that are moved to this version, those that wait at a send for another pace than its own:
 * they ask anew. With the same pace a run keeps its instant, else it would go behind all the others,
 * and the instants before theirs would pass unused.
 */
export async function readWaitingForPace(
  sql: Sql,
  { automation: { id: automationId }, program, version }: VersionNow,
  runs: readonly Run[],
): Promise<ReadonlySet<string>> {
  const moved = runs.filter((run) => run.version !== version && run.waitsUntil !== null);
  const pace = paceIn(program);
  const anew = new Set<string>();
  for (const [oldVersion, own] of Map.groupBy(moved, (run) => run.version)) {
    const old = await readProgram(sql, { automationId, version: oldVersion });
    if (pace !== null && paceIn(old)?.spacingMs === pace.spacingMs) continue;
    // A run at a delay that is a send by now keeps its timer.
    for (const { id, node } of own) if (isSend(old, node) && isSend(program, node)) anew.add(id);
  }
  return anew;
}

function paceIn({ definition: { throttle } }: Program): Pace | null {
  return throttle === undefined
    ? null
    : paceOf({ sends: throttle.sends, perMs: toMs(throttle.per) });
}

function isSend({ steps }: Program, id: string | null): boolean {
  const node = id === null ? undefined : steps.get(id)?.node;
  return node !== undefined && 'send' in node;
}
