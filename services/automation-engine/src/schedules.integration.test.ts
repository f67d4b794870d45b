import { afterAll, describe, expect, test } from '@jest/globals';
import {
  pauseAutomation,
  readAutomation,
  resumeAutomation,
  stopAutomation,
} from '@tidings/automations/automations';
import { appendArrivals } from '@tidings/automation-schedules/arrivals';
import { takeInstant } from '@tidings/automation-schedules/schedules';
import { explainUser } from '@tidings/automation-reports/why';

import { createFakeClock, createOwnDatabase } from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const MINUTE_MS = 60_000;
/** Half an hour from now: no instant comes while a test runs. */
const minute = (new Date().getUTCMinutes() + 30) % 60;
const hourly = { cron: `${minute} * * * *` };

async function newRig(schedule: { cron: string; timeZone?: string } = hourly) {
  const rig = await automationRig(db);
  await db.sql.query(
    `insert into segments (application_id, slug, name, version, condition, updated_by)
     values ($1, 'germans', 'Germans', 1, '{"field": "country", "is": "DE"}', 'test')`,
    [rig.applicationId],
  );
  await rig.register('ada', { country: 'DE' });
  await rig.register('bob', { country: 'DE' });
  await rig.register('carl', { country: 'FR' });
  const definition = cart([mail('mail')], { trigger: { schedule, segment: 'germans' } });
  await rig.activate(definition);
  const which = { applicationId: rig.applicationId, slug: 'cart', by: 'test' };
  const nextAt = async () => {
    const { rows } = await db.sql.query<{ at: Date | null }>(
      'select next_at as at from automation_schedules where application_id = $1',
      [rig.applicationId],
    );
    return rows.map(({ at }) => at?.getTime() ?? null);
  };
  return {
    ...rig,
    definition,
    which,
    nextAt,
    /** It was activated long ago, and its instant came a while ago. */
    async comeAgo(ms: number): Promise<number> {
      const at = Math.floor(Date.now() / 1_000) * 1_000 - ms;
      await db.sql.query(
        `update automations set activated_at = activated_at - interval '9 days' where application_id = $1`,
        [rig.applicationId],
      );
      await db.sql.query(
        'update automation_schedules set next_at = to_timestamp($2::float8 / 1000) where application_id = $1',
        [rig.applicationId, at],
      );
      return at;
    },
    async enter(): Promise<void> {
      while (await appendArrivals(db, 1)) continue;
      await rig.step();
    },
    async entered() {
      const { rows } = await db.sql.query<{ who: string }>(
        `select u.custom_user_id as who from automation_runs r join users u on u.id = r.user_id
         where r.application_id = $1 order by 1`,
        [rig.applicationId],
      );
      return rows.map(({ who }) => who);
    },
    async why(customUserId = 'ada') {
      const automation = await readAutomation(db.sql, which);
      if (automation === null) throw new Error('no automation');
      const { applicationId } = rig;
      const found = await explainUser(db.sql, { applicationId, automation, customUserId });
      return found?.triggers;
    },
  };
}

/** The next such minute. */
function nextHour(from: number): number {
  const ahead = minute * MINUTE_MS;
  return (Math.floor((from - ahead) / HOUR_MS) + 1) * HOUR_MS + ahead;
}

describe('a schedule', () => {
  test('has its next instant from the activation on, by its zone or that of the application', async () => {
    const rig = await newRig({ cron: '30 9 * * *', timeZone: 'Asia/Kathmandu' });
    const [at = 0] = await rig.nextAt();
    expect(new Date(at ?? 0).toISOString().slice(11)).toBe('03:45:00.000Z');
    expect((at ?? 0) - Date.now()).toBeLessThanOrEqual(24 * HOUR_MS);

    await db.sql.query(
      `update applications set settings = settings || '{"timeZone": "Asia/Tokyo"}' where id = $1`,
      [rig.applicationId],
    );
    await rig.activate({
      ...rig.definition,
      trigger: { schedule: { cron: '30 9 * * *' }, segment: 'germans' },
    });
    const [moved] = await rig.nextAt();
    expect(new Date(moved ?? 0).toISOString().slice(11)).toBe('00:30:00.000Z');
  });

  test('enters who is in the segment at its instant, each once', async () => {
    const rig = await newRig();
    const at = await rig.comeAgo(MINUTE_MS);

    expect(await takeInstant(db, { memoryMiB: 16 })).toMatchObject({
      at,
      outcome: 'taken',
      people: 2,
    });
    // Who comes later is not among them, and who leaves stays.
    await rig.register('dora', { country: 'DE' });
    await rig.register('bob', { country: 'FR' });
    expect(await takeInstant(db, { memoryMiB: 16 })).toBeNull();
    await rig.enter();

    expect(await rig.entered()).toEqual(['ada', 'bob']);
    expect(await rig.deliveries()).toHaveLength(2);
    expect(await rig.nextAt()).toEqual([nextHour(at)]);
    expect(await rig.why()).toMatchObject([{ at, result: 'entered' }]);
    expect(await rig.why('dora')).toEqual([]);
    expect(rig.failures).toEqual([]);
  });

  test('is taken by one of many processes, and by another when one dies in it', async () => {
    const rig = await newRig();
    await rig.comeAgo(MINUTE_MS);
    const dying = {
      ...db,
      sql: { query: () => Promise.reject(new Error('killed')) },
      transaction: ((work, options) =>
        db.transaction(async (sql) => {
          await work(sql);
          throw new Error('killed');
        }, options)) as typeof db.transaction,
    };
    await expect(takeInstant(dying, { memoryMiB: 16 })).rejects.toThrow('killed');

    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => takeInstant(db, { memoryMiB: 16 })),
    );
    expect(outcomes.filter((each) => each !== null)).toMatchObject([{ outcome: 'taken' }]);
    const { transaction } = dying;
    await expect(appendArrivals({ ...db, transaction }, 10)).rejects.toThrow('killed');
    await Promise.all(Array.from({ length: 5 }, () => appendArrivals(db, 10)));
    await rig.enter();

    expect(await rig.entered()).toEqual(['ada', 'bob']);
  });

  test('enters again by `entry`, at each of its instants', async () => {
    const rig = await newRig();
    await rig.comeAgo(2 * MINUTE_MS);
    await takeInstant(db, { memoryMiB: 16 });
    await rig.enter();
    await rig.comeAgo(MINUTE_MS);
    await takeInstant(db, { memoryMiB: 16 });
    await rig.enter();

    expect(await rig.entered()).toEqual(['ada', 'ada', 'bob', 'bob']);
  });
});

test('who has entered before is not stored again where people enter once', async () => {
  const rig = await newRig();
  await rig.activate({ ...rig.definition, entry: { again: 'never' } });
  await rig.comeAgo(2 * MINUTE_MS);
  expect(await takeInstant(db, { memoryMiB: 16 })).toMatchObject({ outcome: 'taken', people: 2 });
  await rig.enter();
  await rig.register('dora', { country: 'DE' });
  await rig.comeAgo(MINUTE_MS);

  expect(await takeInstant(db, { memoryMiB: 16 })).toMatchObject({ outcome: 'taken', people: 1 });
  await rig.enter();
  expect(await rig.entered()).toEqual(['ada', 'bob', 'dora']);
  expect(await rig.triggers()).toEqual(['entered', 'entered', 'entered']);
});

describe('an instant enters no one', () => {
  test('that is late by more than an hour, and why says so', async () => {
    const rig = await newRig();
    const at = await rig.comeAgo(3 * HOUR_MS);
    const until = Date.now() - HOUR_MS;

    expect(await takeInstant(db, { memoryMiB: 16 })).toMatchObject({
      at,
      outcome: 'missed',
      reason: 'max_age',
    });
    // The one within the last hour is not too late.
    expect(await rig.nextAt()).toEqual([nextHour(until)]);
    expect(await takeInstant(db, { memoryMiB: 16 })).toMatchObject({
      outcome: 'taken',
      at: nextHour(until),
    });
    await rig.enter();

    expect(await rig.entered()).toEqual(['ada', 'bob']);
    expect(await rig.why()).toMatchObject([
      { at: nextHour(until), result: 'entered' },
      { result: 'skipped', reason: 'max_age' },
      { result: 'skipped', reason: 'max_age' },
      { at, result: 'skipped', reason: 'max_age' },
    ]);
  });

  test('of a pause', async () => {
    const rig = await newRig();
    await pauseAutomation(db, rig.which);
    const at = await rig.comeAgo(MINUTE_MS);

    expect(await takeInstant(db, { memoryMiB: 16 })).toMatchObject({
      at,
      outcome: 'missed',
      reason: 'paused',
    });
    await resumeAutomation(db, { ...rig.which, missedSends: 'send' });
    expect(await takeInstant(db, { memoryMiB: 16 })).toBeNull();
    await rig.enter();

    expect(await rig.entered()).toEqual([]);
    expect(await rig.nextAt()).toEqual([nextHour(at)]);
    expect(await rig.why()).toEqual([{ at, result: 'skipped', reason: 'paused' }]);
  });

  test('of what was stopped, also once it is active again', async () => {
    const rig = await newRig();
    await stopAutomation(db, { ...rig.which, runs: 'finish' });
    await rig.comeAgo(MINUTE_MS);
    const before = Date.now();
    await rig.activate({ ...rig.definition, name: 'Another' });

    expect(await takeInstant(db, { memoryMiB: 16 })).toBeNull();
    expect(await rig.nextAt()).toEqual([nextHour(before)]);
    await stopAutomation(db, { ...rig.which, runs: 'finish' });
    await rig.comeAgo(MINUTE_MS);
    expect(await takeInstant(db, { memoryMiB: 16 })).toMatchObject({ outcome: 'gone' });
    expect(await rig.nextAt()).toEqual([]);
  });
});

test('a new version with the same schedule keeps its instant, another one moves it', async () => {
  const rig = await newRig();
  const at = await rig.comeAgo(MINUTE_MS);
  await rig.activate({ ...rig.definition, name: 'Another' });
  expect(await rig.nextAt()).toEqual([at]);
  const trigger = { schedule: { cron: '0 0 1 1 *' }, segment: 'germans' };
  await rig.activate({ ...rig.definition, trigger });

  const year = new Date().getUTCFullYear() + 1;
  expect(await rig.nextAt()).toEqual([Date.UTC(year, 0, 1)]);
});

test('a segment that takes too long is read again a minute later, and others have their turn', async () => {
  const rig = await newRig();
  await rig.comeAgo(MINUTE_MS);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: holds } = Promise.withResolvers<void>();
  const holding = db.transaction(async (sql) => {
    await sql.query('lock table automation_arrivals in share mode');
    holds();
    await held;
  });
  await isHeld;
  try {
    expect(await takeInstant(db, { memoryMiB: 16, readMaxMs: 300 })).toMatchObject({
      outcome: 'slow',
    });
    expect(await takeInstant(db, { memoryMiB: 16 })).toBeNull();
  } finally {
    release();
    await holding;
  }
  await db.sql.query(
    `update automation_schedules set retry_at = retry_at - interval '1 minute' where application_id = $1`,
    [rig.applicationId],
  );

  expect(await takeInstant(db, { memoryMiB: 16 })).toMatchObject({ outcome: 'taken', people: 2 });
});

test('a segment with more persons in its funnel than memory holds is put off', async () => {
  const rig = await newRig();
  await rig.comeAgo(MINUTE_MS);
  const entered = Date.now() - 2 * MINUTE_MS;
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     values ($1, 'viewd', 'action', 'viewed', 'auto')`,
    [rig.applicationId],
  );
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     select gen_random_uuid(), n, $1, gen_random_uuid(), 'm', 'action', 'viewd', $2, now()
     from generate_series(1, 20000) n`,
    [rig.applicationId, entered],
  );
  const viewed = {
    funnel: { steps: [{ event: 'viewd' }, { event: 'viewd' }], window: '1d' },
    state: 'reached',
    step: 1,
    within: '30d',
  };
  await db.sql.query(
    `update segments set condition = jsonb_build_object('all', jsonb_build_array(condition, $2::jsonb))
     where application_id = $1 and slug = 'germans'`,
    [rig.applicationId, JSON.stringify({ not: viewed })],
  );

  expect(await takeInstant(db, { memoryMiB: 1 })).toMatchObject({
    outcome: 'failed',
    error: { name: 'TooManyPersonsOfCondition' },
  });
  await db.sql.query(
    `update automation_schedules set retry_at = retry_at - interval '1 minute' where application_id = $1`,
    [rig.applicationId],
  );
  expect(await takeInstant(db, { memoryMiB: 16 })).toMatchObject({ outcome: 'taken', people: 2 });
});

test('who is deleted before the engine has them does not enter', async () => {
  const rig = await newRig();
  await rig.comeAgo(MINUTE_MS);
  await takeInstant(db, { memoryMiB: 16 });
  await deleteUser(db, {
    applicationId: rig.applicationId,
    customUserId: 'bob',
    clock: createFakeClock(),
  });
  const { rows } = await db.sql.query('select from automation_arrivals where application_id = $1', [
    rig.applicationId,
  ]);
  expect(rows).toHaveLength(1);
  await rig.enter();

  expect(await rig.entered()).toEqual(['ada']);
});
