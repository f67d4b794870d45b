import type { DateTrigger } from '@tidings/contracts/automations/calendar';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { readPersonCalendars } from '@tidings/segments/person-calendar';
import { shardOf } from '@tidings/user-changes/changes';
import type { Stepping } from './advance.ts';
import { readEnterable } from './decide.ts';
import { enterPeople, type Arrival } from './enter-people.ts';
import { nextDate, type KnownDate, type NextDate } from '@tidings/segments/next-date';
import { readProgram } from './programs.ts';

const statement = statementsIn(import.meta.dirname);
const READ_BUILDS = definePrepared(statement('read-builds'));
const READ_DATES = definePrepared(statement('read-dates'));
const PUT_DATES = definePrepared(statement('put-dates'));
const DELETE_DATES = definePrepared(statement('delete-dates'));
const READ_DUE = definePrepared(statement('read-due-dates'));

/** Of one step: of each application, and of all. */
const DATES_OF_APPLICATION = 100;
const DATES_OF_STEP = 500;

/** A registered person whose dates are looked at. */
export type DatedPerson = { readonly applicationId: string; readonly userId: string };

/** An automation that dates enter. */
type Dated = {
  readonly automationId: string;
  readonly applicationId: string;
  readonly build: number;
  readonly trigger: DateTrigger;
};

async function readDated(sql: Sql, applicationIds: readonly string[]): Promise<Dated[]> {
  const dated: Omit<Dated, 'build'>[] = [];
  for (const { id, applicationId, version } of await readEnterable(sql, applicationIds)) {
    const { definition } = await readProgram(sql, { automationId: id, version });
    const { trigger } = definition;
    if ('date' in trigger) dated.push({ automationId: id, applicationId, trigger });
  }
  if (dated.length === 0) return [];
  const { rows } = await sql.query<{ automation_id: string; build: number }>(READ_BUILDS, [
    dated.map(({ automationId }) => automationId),
  ]);
  const builds = new Map(rows.map((row) => [row.automation_id, row.build]));
  return dated.flatMap((each) => {
    const build = builds.get(each.automationId);
    return build === undefined ? [] : [{ ...each, build }];
  });
}

/**
 * Looks at the dates of people as they are now: keeps when each is to enter them, and enters those whose
 * instant has come. Returns the ids of the runs, which have not begun. The shard of the people is locked.
 */
export async function lookAtDates(
  stepping: Stepping,
  people: readonly DatedPerson[],
): Promise<string[]> {
  if (people.length === 0) return [];
  const byApplication = Map.groupBy(people, ({ applicationId }) => applicationId);
  const arrivals: Arrival[] = [];
  for (const dated of await readDated(stepping.sql, [...byApplication.keys()])) {
    const own = byApplication.get(dated.applicationId) ?? [];
    arrivals.push(
      ...(await lookAt(stepping, dated, [...new Set(own.map(({ userId }) => userId))])),
    );
  }
  return enterPeople(stepping, arrivals);
}

async function lookAt(
  { sql, now, contextOf }: Stepping,
  { automationId, applicationId, build, trigger }: Dated,
  userIds: readonly string[],
): Promise<Arrival[]> {
  const context = await contextOf(applicationId);
  const calendars = await readPersonCalendars(
    sql,
    { context, now, dates: [trigger.date] },
    userIds,
  );
  const { rows } = await sql.query<{
    user_id: string;
    build: number;
    due_at: number | null;
    entered: string | null;
  }>(READ_DATES, [automationId, userIds]);
  const stored = new Map(rows.map((row) => [row.user_id, row]));
  const put: (NextDate & { readonly userId: string })[] = [];
  const gone: string[] = [];
  for (const userId of userIds) {
    const row = stored.get(userId);
    const known: KnownDate | null =
      row?.build === build ? { dueAt: row.due_at, entered: row.entered } : null;
    const calendar = calendars.get(userId);
    const next =
      calendar === undefined
        ? null
        : nextDate(trigger, {
            value: calendar.dates[0] ?? null,
            timeZone: calendar.timeZone,
            known,
            now,
          });
    if (next === null) {
      if (row !== undefined) gone.push(userId);
    } else if (known?.dueAt !== next.dueAt || known.entered !== next.entered)
      put.push({ ...next, userId });
  }
  if (gone.length > 0) await sql.query(DELETE_DATES, [automationId, gone]);
  if (put.length > 0)
    await sql.query(PUT_DATES, [
      automationId,
      applicationId,
      build,
      put.map(({ userId }) => userId),
      put.map(({ userId }) => shardOf(userId)),
      put.map(({ dueAt }) => dueAt),
      put.map(({ entered }) => entered),
    ]);
  return put.flatMap(({ userId, enters }) =>
    enters === null ? [] : [{ applicationId, automationId, userId, kind: 'date', at: enters }],
  );
}

/**
 * Enters people of a shard whose instant has come. What is not to enter any more is deleted. Returns the
 * ids of the runs, and whether there may be more. The shard is locked.
 */
export async function enterByDates(
  stepping: Stepping,
  shard: number,
): Promise<{ readonly runIds: readonly string[]; readonly hasMore: boolean }> {
  const { sql } = stepping;
  const { rows } = await sql.query<{
    automation_id: string;
    application_id: string;
    user_id: string;
    due_at: number;
  }>(READ_DUE, [shard, DATES_OF_APPLICATION, DATES_OF_STEP]);
  if (rows.length === 0) return { runIds: [], hasMore: false };
  const runIds = await lookAtDates(
    stepping,
    rows.map((row) => ({ applicationId: row.application_id, userId: row.user_id })),
  );
  // Of automations that dates do not enter any more: the look has left them as they were.
  await sql.query(statement('delete-dates-as-they-were'), [
    rows.map(({ automation_id: automationId }) => automationId),
    rows.map(({ user_id: userId }) => userId),
    rows.map(({ due_at: dueAt }) => dueAt),
  ]);
  return { runIds, hasMore: rows.length >= DATES_OF_APPLICATION };
}
