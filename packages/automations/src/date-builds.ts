import type { DateTrigger } from '@tidings/contracts/automations/calendar';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { readPersonCalendars } from '@tidings/segments/person-calendar';
import { readNow } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import { appendChanges } from '@tidings/user-changes/changes';
import type { ChangedAutomation } from './changed-automation.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * After an automation was changed: all people are looked at once where dates enter them since now, or
 * where the trigger is another. A trigger that is no date ends that, so that the same date looks at
 * everyone again: what changed meanwhile is not known. @callers automations
 */
export async function keepDates(
  sql: Sql,
  applicationId: string,
  { id, status, live, activatedAt }: ChangedAutomation,
): Promise<void> {
  if (live === null) return;
  if (!('date' in live.trigger)) {
    await sql.query(statement('end-build'), [id]);
    return;
  }
  if (status !== 'active' || activatedAt === null) return;
  const { maxAge: _, ...moment } = live.trigger;
  await sql.query(statement('begin-build'), [
    id,
    applicationId,
    JSON.stringify(moment),
    activatedAt,
  ]);
}

type BuildRow = {
  readonly automation_id: string;
  readonly application_id: string;
  readonly trigger: unknown;
  readonly after: string;
  readonly isHeard: boolean;
};

/**
 * Gives the next people with such a date to the engine, which keeps when each is to enter. Returns whether
 * there may be more. A look that fails is put off, and others go on. @callers scheduler
 */
export async function buildDates(
  db: Database,
  limit: number,
  onFailure: (error: unknown, automationId: string) => void,
): Promise<boolean> {
  let build: BuildRow | undefined;
  try {
    return await db.transaction(async (sql) => {
      [build] = (await sql.query<BuildRow>(statement('lock-build'))).rows;
      if (build === undefined) return false;
      if (build.isHeard) await lookAtSome(sql, build, limit);
      else await sql.query(statement('note-heard'), [build.automation_id]);
      return true;
    });
  } catch (error) {
    if (build === undefined) throw error;
    await db.sql.query(statement('put-off-build'), [build.automation_id]);
    onFailure(error, build.automation_id);
    return true;
  }
}

async function lookAtSome(
  sql: Sql,
  { automation_id: automationId, application_id: applicationId, trigger, after }: BuildRow,
  limit: number,
): Promise<void> {
  const { rows: people } = await sql.query<{ id: string; custom_user_id: string }>(
    statement('read-people-of-build'),
    [applicationId, after, limit],
  );
  const last = people.length < limit ? null : (people.at(-1)?.custom_user_id ?? null);
  await sql.query(statement('move-build'), [automationId, last]);
  const calendars = await readPersonCalendars(
    sql,
    {
      context: await readConditionContext(sql, applicationId),
      now: await readNow(sql),
      dates: [(trigger as DateTrigger).date],
    },
    people.map(({ id }) => id),
  );
  await appendChanges(
    sql,
    people.flatMap(({ id: userId }) =>
      calendars.get(userId)?.dates[0] == null
        ? []
        : [{ kind: 'trigger', userId, automationId, trigger: 'date', at: 0 } as const],
    ),
  );
}

/**
 * Deletes dates of automations that were stopped or archived, or that something else enters by now.
 * Returns whether there may be more. @callers scheduler
 */
export async function deleteOldDates(sql: Sql, limit: number): Promise<boolean> {
  const { rowCount } = await sql.query(statement('delete-old-dates'), [limit]);
  if ((rowCount ?? 0) >= limit) return true;
  await sql.query(statement('delete-old-builds'));
  return false;
}
