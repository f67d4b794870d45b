import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { selectMembers } from '@tidings/segments/members';
import type { Run } from './run.ts';
import type { VersionNow } from './version-now.ts';

const statement = statementsIn(import.meta.dirname);
const REFUSE = definePrepared(statement('refuse-runs'));
const NOTE_ENTRIES = definePrepared(statement('note-entries'));

/**
 * Of runs without a line, those whose people the filter lets in, and all others as they are. The rest
 * is taken back: it has entered no one. One that the API asked for is `refused`: it ends, since its id
 * is known. What a person was when they came is asked here, once their profile has been stored.
 * @callers automations
 */
export async function begin(sql: Sql, of: VersionNow, runs: readonly Run[]): Promise<Begun> {
  const fresh = runs.filter(({ lines }) => lines === 0);
  if (fresh.length === 0) return { runs, entered: [], refused: [] };
  const { filter } = of.program.definition;
  const members =
    filter === undefined
      ? null
      : await selectMembers(
          sql,
          { context: of.context, condition: filter, now: of.now },
          fresh.map(({ userId }) => userId),
        );
  const isLetIn = ({ userId }: Run): boolean => members === null || members.has(userId);
  const refused = fresh.filter((run) => !isLetIn(run));
  const ofEvents = refused.filter(({ trigger }) => trigger.requestId !== null);
  if (ofEvents.length > 0) await sql.query(REFUSE, [ofEvents.map(({ id }) => id)]);
  const gone = new Set(refused.map(({ id }) => id));
  return {
    runs: runs.filter(({ id }) => !gone.has(id)),
    entered: fresh.filter(isLetIn),
    refused: refused.filter(({ trigger }) => trigger.requestId === null),
  };
}

type Begun = {
  readonly runs: readonly Run[];
  /** Of them, those that enter with this step: to be noted. */
  readonly entered: readonly Run[];
  readonly refused: readonly Run[];
};

/** Also of runs that end before they have begun: they count as entered. @callers automations */
export async function noteEntries(sql: Sql, runs: readonly Run[]): Promise<void> {
  if (runs.length > 0) await sql.query(NOTE_ENTRIES, [runs.map(({ id }) => id)]);
}
