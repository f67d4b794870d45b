import { afterAll, describe, expect, test } from '@jest/globals';
import { appendArrivals } from '@tidings/automation-schedules/arrivals';
import {
  activateAutomation,
  archiveAutomation,
  stopAutomation,
  writeAutomation,
} from '@tidings/automations/automations';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { createCursors } from '@tidings/partitioned-log/cursors';
import { createOwnDatabase, createRecordingLogger, createTestApplication } from '@tidings/testing';
import { readUserChangesTopic } from '@tidings/user-changes/changes';
import { runOnce } from '../testing/run-once.ts';
import { arrivals } from './arrivals.ts';
import { dateBuilds } from './date-builds.ts';
import { schedules } from './schedules.ts';

// A separate database: the jobs read schedules and builds of all applications.
const db = await createOwnDatabase();
afterAll(() => db.close());

async function activate(trigger: object): Promise<string> {
  return (await activateOf((await createTestApplication(db)).applicationId, trigger)).id;
}

async function activateOf(applicationId: string, trigger: object, slug = 'weekly') {
  await db.sql.query(
    `insert into segments (application_id, slug, name, version, condition, updated_by)
     values ($1, 'germans', 'Germans', 1, '{"field": "country", "is": "DE"}', 'test')
     on conflict do nothing`,
    [applicationId],
  );
  const which = { applicationId, slug, by: 'test' };
  const nodes = [{ id: 'hour', delay: '1h' }];
  const definition = { version: 1, name: 'Weekly', purpose: 'transactional', trigger, nodes };
  await writeAutomation(db, { ...which, definition });
  const changed = await activateAutomation(db, { ...which, inFlight: 'keep' });
  if (!('automation' in changed)) throw new Error(`not active: ${JSON.stringify(changed)}`);
  return { ...which, id: changed.automation.id };
}

/** Looks at dates wait for no transaction of other databases. */
const passGuard = () =>
  db.sql.query(`update automation_date_builds set began_at = began_at - interval '2 hours'`);

test('an instant that is left out is said in the log, and the next ones are taken', async () => {
  const automationId = await activate({ schedule: { cron: '*/15 * * * *' }, segment: 'germans' });
  // As it could be once: with more instants than a pass has.
  await db.sql.query(
    `update automation_versions
     set definition = jsonb_set(definition, '{trigger,schedule,cron}', '"* * * * *"')
     where automation_id = $1`,
    [automationId],
  );
  const at = new Date(Math.floor(Date.now() / 60_000 - 90) * 60_000);
  await db.sql.query(
    `with automation as (
       update automations set activated_at = now() - interval '1 day' where id = $1
     )
     update automation_schedules set next_at = $2 where automation_id = $1`,
    [automationId, at],
  );
  const { logger, lines } = createRecordingLogger();
  await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db, logger });

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
  for (let pass = 0; pass < 4; pass += 1)
    await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db, logger });
  expect(await next()).toBeGreaterThan(Date.now() - 60_000);
  expect(lines).toHaveLength(1);
  const { rows } = await db.sql.query<{ missed: { at: number }[] }>(
    'select missed from automation_schedules where automation_id = $1',
    [automationId],
  );
  // Of half an hour the last twenty, the latest first.
  const ats = rows[0]?.missed.map((each) => each.at) ?? [];
  expect(ats).toHaveLength(20);
  expect(ats).toEqual(ats.map((_, index) => (ats[0] ?? 0) - index * 60_000));
  expect(at.getTime() + 29 * 60_000 - (ats[0] ?? 0)).toBeLessThanOrEqual(60_000);
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
  await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db, logger });
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

const setDue = (id: string, minutes: number) =>
  db.sql.query(
    `update automation_schedules set next_at = now() - $2 * interval '1 minute'
     where automation_id = $1`,
    [id, minutes],
  );
const isTaken = async (id: string) => {
  const { rows } = await db.sql.query<{ isTaken: boolean }>(
    'select next_at > now() as "isTaken" from automation_schedules where automation_id = $1',
    [id],
  );
  return rows[0]?.isTaken;
};

test('the instants of an application do not make those of another miss their hour', async () => {
  const daily = { schedule: { cron: '0 9 * * *' }, segment: 'germans' };
  const { applicationId } = await createTestApplication(db);
  const ids: string[] = [];
  for (let n = 0; n < 25; n += 1) {
    const { id } = await activateOf(applicationId, daily, `many-${n}`);
    await setDue(id, 30);
    ids.push(id);
  }
  const other = await activate(daily);
  await setDue(other, 1);
  // Each of them fails: one that is put off longest would come first again.
  await db.sql.query(
    `create trigger fails_all before update of next_at on automation_schedules
     for each row when (old.application_id = '${applicationId}') execute function fail()`,
  );
  const { logger, lines } = createRecordingLogger();
  await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db, logger });

  expect(await isTaken(other)).toBe(true);
  // One that fails does not end the pass, and has one turn of it. The pass has twenty, one for the other.
  const failed = lines
    .map(({ automationId }) => String(automationId))
    .filter((id) => ids.includes(id));
  expect(failed.length).toBeGreaterThan(1);
  expect(failed.length).toBeLessThan(20);
  expect(new Set(failed).size).toBe(failed.length);
  const minutesOf = async () => {
    const { rows } = await db.sql.query<{ minutes: number }>(
      `select round(extract(epoch from retry_at - tried_at) / 60)::int as minutes
       from automation_schedules where automation_id = $1`,
      [ids[0]],
    );
    return rows[0]?.minutes;
  };
  const put = [await minutesOf()];
  for (let pass = 0; pass < 3; pass += 1) {
    await db.sql.query(
      `update automation_schedules set retry_at = now() - interval '1 s' where automation_id = $1`,
      [ids[0]],
    );
    // Behind those that had no turn yet.
    for (let again = 0; again < 2; again += 1)
      await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db });
    put.push(await minutesOf());
  }
  expect(put).toEqual([1, 5, 15, 15]);
  await db.sql.query('drop trigger fails_all on automation_schedules');
  await db.sql.query('delete from automation_schedules where application_id = $1', [applicationId]);
});

test('a schedule follows the time zone of its application, unless it has its own or is due', async () => {
  const { applicationId } = await createTestApplication(db);
  const at9 = (more: object = {}) => ({
    schedule: { cron: '0 9 * * *', ...more },
    segment: 'germans',
  });
  const [follows, own, due] = [
    await activateOf(applicationId, at9(), 'follows'),
    await activateOf(applicationId, at9({ timeZone: 'Asia/Kathmandu' }), 'own'),
    await activateOf(applicationId, at9(), 'due'),
  ];
  await setDue(due.id, 1);
  await db.sql.query(
    `update applications set settings = settings || '{"timeZone": "Asia/Tokyo"}' where id = $1`,
    [applicationId],
  );
  await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db });
  const timeOf = async ({ id }: { readonly id: string }) => {
    const { rows } = await db.sql.query<{ at: Date }>(
      'select next_at as at from automation_schedules where automation_id = $1',
      [id],
    );
    return rows[0]?.at.toISOString().slice(11, 16);
  };

  expect(await timeOf(follows)).toBe('00:00');
  expect(await timeOf(own)).toBe('03:15');
  // It was taken at its instant, and the next one is by the new clock.
  expect(await timeOf(due)).toBe('00:00');
});

test('the schedule of an archived automation is deleted', async () => {
  const { applicationId } = await createTestApplication(db);
  const which = await activateOf(applicationId, {
    schedule: { cron: '0 0 1 1 *' },
    segment: 'germans',
  });
  const count = async () =>
    (
      await db.sql.query('select from automation_schedules where application_id = $1', [
        applicationId,
      ])
    ).rows.length;
  await stopAutomation(db, { ...which, runs: 'finish' });
  await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db });
  expect(await count()).toBe(1);
  await archiveAutomation(db, which);
  await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db });

  expect(await count()).toBe(0);
});

describe('who was stored at an instant', () => {
  const store = (automationId: string, people: number) =>
    db.sql.query(
      `insert into automation_arrivals (automation_id, application_id, at, user_id)
       select a.id, a.application_id, now(), gen_random_uuid()
       from automations a cross join generate_series(1, $2::int) where a.id = $1`,
      [automationId, people],
    );
  const left = async (automationId: string) =>
    (await db.sql.query('select from automation_arrivals where automation_id = $1', [automationId]))
      .rows.length;
  const trigger = { schedule: { cron: '0 9 * * *' }, segment: 'germans' };

  test('waits while the engine is behind, and with them the next instant', async () => {
    const automationId = await activate(trigger);
    const { topicId } = await readUserChangesTopic(db.sql);
    await createCursors(db.sql, { group: AUTOMATIONS_GROUP, topicId });
    await store(automationId, 300);
    await runOnce(arrivals(), { db });
    expect(await left(automationId)).toBe(0);
    for (const table of ['log_blocks_0', 'log_blocks_1', 'log_blocks_2'])
      await db.sql.query(`update ${table} set at = at - interval '3 s'`);
    await store(automationId, 300);
    await setDue(automationId, 1);
    await runOnce(arrivals(), { db });
    await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db });
    expect(await left(automationId)).toBe(300);
    expect(await isTaken(automationId)).toBe(false);

    await db.sql.query(
      `update log_leases l set committed = h.next from log_heads h
       where l.grp = $1 and l.topic_id = $2 and h.topic_id = l.topic_id and h.part = l.part`,
      [AUTOMATIONS_GROUP, topicId],
    );
    await runOnce(arrivals(), { db });
    await runOnce(schedules({ analyticsMemoryMiB: 16 }), { db });
    expect(await left(automationId)).toBe(0);
    expect(await isTaken(automationId)).toBe(true);
  });

  test('goes to the engine by turns of applications, and of their automations', async () => {
    const { applicationId } = await createTestApplication(db);
    const many = await activateOf(applicationId, trigger, 'many');
    const few = await activateOf(applicationId, trigger, 'few');
    const other = await activate(trigger);
    await store(many.id, 40);
    await store(few.id, 40);
    await store(other, 40);
    await appendArrivals(db, 20);

    expect(await left(many.id)).toBe(35);
    expect(await left(few.id)).toBe(35);
    expect(await left(other)).toBe(30);
    while (await appendArrivals(db, 20)) continue;
    expect([await left(many.id), await left(few.id), await left(other)]).toEqual([0, 0, 0]);
  });
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
