import { afterAll, expect, test } from '@jest/globals';
import { activateAutomation, writeAutomation } from '@tidings/automations/automations';
import { createOwnDatabase, createRecordingLogger, createTestApplication } from '@tidings/testing';
import { runOnce } from '../testing/run-once.ts';
import { dateBuilds } from './date-builds.ts';
import { schedules } from './schedules.ts';

// A separate database: the jobs read schedules and builds of all applications.
const db = await createOwnDatabase();
afterAll(() => db.close());

async function activate(trigger: object): Promise<string> {
  const { applicationId } = await createTestApplication(db);
  await db.sql.query(
    `insert into segments (application_id, slug, name, version, condition, updated_by)
     values ($1, 'germans', 'Germans', 1, '{"field": "country", "is": "DE"}', 'test')`,
    [applicationId],
  );
  const which = { applicationId, slug: 'weekly', by: 'test' };
  const nodes = [{ id: 'hour', delay: '1h' }];
  const definition = { version: 1, name: 'Weekly', purpose: 'transactional', trigger, nodes };
  await writeAutomation(db, { ...which, definition });
  const changed = await activateAutomation(db, { ...which, inFlight: 'keep' });
  if (!('automation' in changed)) throw new Error(`not active: ${JSON.stringify(changed)}`);
  return changed.automation.id;
}

/** Looks at dates wait for no transaction of other databases. */
const passGuard = () =>
  db.sql.query(`update automation_date_builds set began_at = began_at - interval '2 hours'`);

test('an instant that is left out is said in the log, and the next ones are taken', async () => {
  const automationId = await activate({ schedule: { cron: '* * * * *' }, segment: 'germans' });
  const at = new Date(Math.floor(Date.now() / 60_000 - 90) * 60_000);
  await db.sql.query(
    `with automation as (
       update automations set activated_at = now() - interval '1 day' where id = $1
     )
     update automation_schedules set next_at = $2 where automation_id = $1`,
    [automationId, at],
  );
  const { logger, lines } = createRecordingLogger();
  await runOnce(schedules(), { db, logger });

  expect(lines).toMatchObject([{ automationId, instant: at.toISOString(), reason: 'max_age' }]);
  const next = async () => {
    const { rows } = await db.sql.query<{ at: Date }>(
      'select next_at as at from automation_schedules where automation_id = $1',
      [automationId],
    );
    return rows[0]?.at.getTime() ?? 0;
  };
  // One pass has twenty instants: others wait for the next one.
  const first = await next();
  expect(first).toBeLessThan(Date.now());
  for (let pass = 0; pass < 4; pass += 1) await runOnce(schedules(), { db, logger });
  expect(await next()).toBeGreaterThan(Date.now() - 60_000);
  expect(lines).toHaveLength(1);
});

test('an instant that fails is put off, and those of others are taken', async () => {
  const trigger = { schedule: { cron: '0 9 * * *' }, segment: 'germans' };
  const [failing, other] = [await activate(trigger), await activate(trigger)];
  for (const [id, minutes] of [
    [failing, 2],
    [other, 1],
  ] as const)
    await db.sql.query(
      `update automation_schedules set next_at = now() - $2 * interval '1 minute'
       where automation_id = $1`,
      [id, minutes],
    );
  // As with a segment for which the disk has no room.
  await db.sql.query(
    `create function fail() returns trigger language plpgsql as
     $$ begin raise exception 'no room' using errcode = '53400'; end $$`,
  );
  await db.sql.query(
    `create trigger fails before update of next_at on automation_schedules
     for each row when (old.automation_id = '${failing}') execute function fail()`,
  );
  const { logger, lines } = createRecordingLogger();
  await runOnce(schedules(), { db, logger });
  const isDue = async (id: string) => {
    const { rows } = await db.sql.query<{ due: boolean; isPutOff: boolean }>(
      `select next_at <= now() as due, coalesce(retry_at > now(), false) as "isPutOff"
       from automation_schedules where automation_id = $1`,
      [id],
    );
    return rows[0];
  };

  expect(await isDue(failing)).toEqual({ due: true, isPutOff: true });
  expect(await isDue(other)).toEqual({ due: false, isPutOff: false });
  expect(lines).toMatchObject([{ automationId: failing, err: { message: 'no room' } }]);
});

test('everyone is looked at once after an activation', async () => {
  const automationId = await activate({ date: { field: 'birthday' }, at: '09:00', yearly: true });
  const isBuilt = async () => {
    const { rows } = await db.sql.query<{ isBuilt: boolean }>(
      'select after is null as "isBuilt" from automation_date_builds where automation_id = $1',
      [automationId],
    );
    return rows[0]?.isBuilt;
  };
  expect(await isBuilt()).toBe(false);
  await passGuard();
  await runOnce(dateBuilds(), { db });

  expect(await isBuilt()).toBe(true);
});

test('a look at dates that fails is put off, ever longer, and those of others go on', async () => {
  const trigger = { date: { field: 'birthday' }, at: '09:00' };
  const [failing, other] = [await activate(trigger), await activate(trigger)];
  await db.sql.query(
    `create trigger fails before update of after on automation_date_builds
     for each row when (old.automation_id = '${failing}') execute function fail()`,
  );
  const stateOf = async (id: string) => {
    const { rows } = await db.sql.query<{ isBuilt: boolean; minutes: number | null }>(
      `select after is null as "isBuilt",
         round(extract(epoch from retry_at - looked_at) / 60)::int as minutes
       from automation_date_builds where automation_id = $1`,
      [id],
    );
    return rows[0];
  };
  const { logger, lines } = createRecordingLogger();
  const put: unknown[] = [];
  await passGuard();
  for (let pass = 0; pass < 4; pass += 1) {
    await runOnce(dateBuilds(), { db, logger });
    put.push(await stateOf(failing));
    await db.sql.query(
      'update automation_date_builds set retry_at = now() where automation_id = $1',
      [failing],
    );
  }

  expect(await stateOf(other)).toEqual({ isBuilt: true, minutes: null });
  expect(put).toEqual([1, 5, 15, 15].map((minutes) => ({ isBuilt: false, minutes })));
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatchObject({ automationId: failing, err: { message: 'no room' } });
});
