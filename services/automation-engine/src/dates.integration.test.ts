import { afterAll, describe, expect, test } from '@jest/globals';
import {
  archiveAutomation,
  pauseAutomation,
  stopAutomation,
} from '@tidings/automations/automations';
import { deleteOldDates } from '@tidings/automations/date-builds';
import type { DateTrigger } from '@tidings/contracts/automations/calendar';
import { localInstantMs } from '@tidings/platform';
import { createFakeClock, createOwnDatabase, userMessage } from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { buildSome, DAY_MS, dateRig, ending, inDays, text } from './testing/date-rig.ts';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const newRig = (overrides: Partial<DateTrigger> = {}) => dateRig(db, overrides);

test('a registration enters at once, at any time of its day', async () => {
  const rig = await newRig({ date: { field: 'registeredAt' }, at: '00:00', maxAge: '26h' });
  await rig.start();
  await rig.store({ customUserId: 'new', messages: [userMessage({})] });
  await rig.step();
  await rig.store({ customUserId: 'new', messages: [userMessage({ firstName: 'New' })] });
  await rig.step();

  const { rows } = await db.sql.query(
    `select u.custom_user_id as who from automation_runs r join users u on u.id = r.user_id
     where r.application_id = $1`,
    [rig.applicationId],
  );
  expect(rows).toEqual([{ who: 'new' }]);
});

describe('the date of a person', () => {
  test('is known from the activation on, in the zone of each, and of who comes later', async () => {
    const rig = await newRig({ offset: '-3d' });
    const date = inDays(10);
    await rig.register('ada', ending(date));
    await rig.register('bob', ending(date, { timeZone: 'America/New_York' }));
    await rig.register('carl');
    await rig.register('dora', { customAttributes: { endsOn: 'soon' } });
    await rig.start();
    await rig.register('eve', ending(date));
    await rig.step();

    const at = date - 3 * DAY_MS + 9 * HOUR_MS;
    expect(await rig.dates()).toEqual({
      ada: at,
      bob: localInstantMs(at, 'America/New_York'),
      eve: at,
    });
    expect(await rig.why()).toEqual([{ at, result: 'pending' }]);
    expect(rig.failures).toEqual([]);
  });

  test('enters once when it comes, also late, and is looked for no more', async () => {
    const rig = await newRig();
    await rig.register('ada', ending(inDays(3)));
    await rig.start();
    await rig.step();
    expect(await rig.entered()).toEqual([]);
    await rig.come(6 * DAY_MS);
    await rig.step();
    await rig.change('ada', { plan: 'pro' });
    await rig.change('ada', { timeZone: 'Pacific/Kiritimati' });
    await rig.step();

    expect(await rig.entered()).toEqual(['ada']);
    expect(await rig.deliveries()).toHaveLength(1);
    expect(await rig.dates()).toEqual({ ada: null });
    expect(await rig.why()).toMatchObject([{ result: 'entered' }]);
  });

  test('that is changed moves the instant, one that is removed takes it away', async () => {
    const rig = await newRig();
    await rig.register('ada', ending(inDays(3)));
    await rig.start();
    await rig.change('ada', { endsOn: text(inDays(9)) });
    expect(await rig.dates()).toEqual({ ada: inDays(9) + 9 * HOUR_MS });
    await rig.change('ada', { endsOn: null });
    expect(await rig.dates()).toEqual({});
    await rig.change('ada', { endsOn: text(inDays(4)) });
    expect(await rig.dates()).toEqual({ ada: inDays(4) + 9 * HOUR_MS });
  });

  test('that the step sees changed is not what was due', async () => {
    const rig = await newRig();
    await rig.register('ada', ending(inDays(3)));
    await rig.register('bob', ending(inDays(3)));
    await rig.register('carl', ending(inDays(3)));
    await rig.start();
    await db.sql.query(
      `update automation_dates set due_at = now() - interval '1 s' where application_id = $1`,
      [rig.applicationId],
    );
    const set = (who: string, value: string | null) =>
      db.sql.query(
        `update users set custom_attributes = custom_attributes || jsonb_build_object('endsOn', $3::text)
         where application_id = $1 and custom_user_id = $2`,
        [rig.applicationId, who, value],
      );
    await set('ada', text(inDays(7)));
    await set('bob', null);
    await set('carl', text(inDays(-40)));
    await rig.timers();

    expect(await rig.entered()).toEqual([]);
    expect(await rig.dates()).toEqual({ ada: inDays(7) + 9 * HOUR_MS });
  });

  test('that is past when it becomes known enters within `maxAge` alone', async () => {
    const rig = await newRig({ at: '00:00' });
    await rig.register('yesterday', ending(inDays(-1)));
    await rig.register('today', ending(inDays(0)));
    await rig.start();
    expect(await rig.entered()).toEqual(['today']);
    await rig.register('later', ending(inDays(-2)));
    await rig.register('now', ending(inDays(0)));
    await rig.step();

    expect(await rig.entered()).toEqual(['now', 'today']);
    expect(await rig.why('yesterday')).toEqual([
      { at: inDays(-1), result: 'skipped', reason: 'max_age', pointer: '/trigger/maxAge' },
    ]);
    expect(await rig.why('today')).toMatchObject([{ at: inDays(0), result: 'entered' }]);
    const long = await newRig({ at: '00:00', maxAge: '3d' });
    await long.register('yesterday', ending(inDays(-1)));
    await long.start();
    expect(await long.entered()).toEqual(['yesterday']);
  });

  test('returns each year, once a year', async () => {
    const rig = await newRig({ date: { field: 'birthday' }, at: '00:00', yearly: true });
    const today = new Date(inDays(0));
    const born = Date.UTC(1988, today.getUTCMonth(), today.getUTCDate());
    await rig.register('ada', { birthday: born });
    // By the calendar of this year: from 28 February it would be the leap day, which comes today.
    const tomorrow = new Date(inDays(1));
    await rig.register('bob', {
      birthday: Date.UTC(1988, tomorrow.getUTCMonth(), tomorrow.getUTCDate()),
    });
    await rig.start();
    await rig.change('ada', { plan: 'pro' });
    await rig.change('ada', { timeZone: 'Pacific/Kiritimati' });
    await rig.change('ada', { timeZone: null });
    await rig.step();

    const next = (ms: number) => {
      const date = new Date(ms);
      return Date.UTC(today.getUTCFullYear() + 1, date.getUTCMonth(), date.getUTCDate());
    };
    expect(await rig.entered()).toEqual(['ada']);
    expect(await rig.dates()).toMatchObject({ ada: next(inDays(0)) });
    expect((await rig.dates())['bob']).toBe(inDays(1));
  });
});

describe('an automation', () => {
  test('that is paused enters no one by a date that comes then, and why says so', async () => {
    const rig = await newRig();
    await rig.register('ada', ending(inDays(3)));
    await rig.start();
    await pauseAutomation(db, rig.which);
    await db.sql.query(
      `update automations set pause_began_at = pause_began_at - interval '9 days' where application_id = $1`,
      [rig.applicationId],
    );
    await rig.come(4 * DAY_MS);
    await rig.step();

    expect(await rig.entered()).toEqual([]);
    expect(await rig.why()).toMatchObject([{ result: 'skipped', reason: 'paused' }]);
  });

  test('that was stopped looks at everyone again when it is active', async () => {
    const rig = await newRig();
    await rig.register('ada', ending(inDays(3)));
    await rig.register('bob', ending(inDays(3)));
    await rig.start();
    await stopAutomation(db, { ...rig.which, runs: 'finish' });
    await rig.change('ada', { endsOn: text(inDays(5)) });
    await rig.come(0);
    await db.sql.query(
      `update automation_dates set due_at = now() - interval '1 s' where application_id = $1`,
      [rig.applicationId],
    );
    await rig.step();
    expect(await rig.dates()).toEqual({});
    await rig.activate({ ...rig.definition, name: 'Again' });
    await rig.build();

    expect(await rig.dates()).toEqual({
      ada: inDays(5) + 9 * HOUR_MS,
      bob: inDays(3) + 9 * HOUR_MS,
    });
    expect(await rig.entered()).toEqual([]);
  });

  test('with another trigger looks at everyone again, with the same one at no one', async () => {
    const rig = await newRig();
    await rig.register('ada', ending(inDays(3)));
    await rig.start();
    await rig.activate({ ...rig.definition, name: 'Another' });
    expect(await buildSome(db, 10)).toBe(false);
    const trigger = { date: { attribute: 'endsOn' }, at: '10:30' };
    await rig.activate({ ...rig.definition, trigger });
    await rig.build();

    expect(await rig.dates()).toEqual({ ada: inDays(3) + 10.5 * HOUR_MS });
  });

  test('with a date again, after another trigger, looks at everyone again', async () => {
    const rig = await newRig();
    await rig.define('cartd');
    await rig.register('ada', ending(inDays(3)));
    await rig.start();
    await rig.activate(cart([mail('mail')]));
    await rig.change('ada', { endsOn: text(inDays(6)) });
    await rig.start();

    expect(await rig.dates()).toEqual({ ada: inDays(6) + 9 * HOUR_MS });
  });

  test('that is stopped leaves no dates, and why waits for none', async () => {
    const rig = await newRig();
    await rig.register('ada', ending(inDays(3)));
    await rig.start();
    await stopAutomation(db, { ...rig.which, runs: 'finish' });
    expect(await rig.why()).toEqual([]);
    await deleteOldDates(db.sql, 10);
    expect(await rig.dates()).toEqual({});
    await rig.activate({ ...rig.definition, name: 'Again' });
    await rig.build();

    expect(await rig.dates()).toEqual({ ada: inDays(3) + 9 * HOUR_MS });
  });

  test('that has not looked at a person yet says when their date comes, also each year', async () => {
    const rig = await newRig({ at: '00:00', yearly: true });
    await rig.register('ada', ending(inDays(-360 * 10)));
    await rig.activate(rig.definition);
    const why = await rig.why();
    await rig.build();

    expect(why).toEqual([{ at: (await rig.dates())['ada'], result: 'pending' }]);
    expect(why?.[0]?.at).toBeGreaterThan(Date.now());
  });

  test('that is archived leaves no dates', async () => {
    const rig = await newRig();
    for (const who of ['ada', 'bob', 'carl']) await rig.register(who, ending(inDays(3)));
    await rig.start();
    await deleteOldDates(db.sql, 2);
    expect(Object.keys(await rig.dates())).toHaveLength(3);
    await stopAutomation(db, { ...rig.which, runs: 'finish' });
    await archiveAutomation(db, rig.which);

    expect(await deleteOldDates(db.sql, 2)).toBe(true);
    expect(await deleteOldDates(db.sql, 2)).toBe(false);
    expect(await rig.dates()).toEqual({});
  });
});

test('the dates of one application do not wait behind those of another', async () => {
  const [many, one] = [await newRig(), await newRig()];
  await many.register('ada', ending(inDays(3)));
  await one.register('bob', ending(inDays(3)));
  await many.start();
  await one.start();
  // Of people who are gone: all in the shard of the one who is not, and due before them.
  await db.sql.query(
    `insert into automation_dates (automation_id, user_id, application_id, shard, build, due_at)
     select m.automation_id, gen_random_uuid(), m.application_id, o.shard, m.build,
       now() - interval '1 h'
     from automation_dates m cross join automation_dates o cross join generate_series(1, 700)
     where m.application_id = $1 and o.application_id = $2`,
    [many.applicationId, one.applicationId],
  );
  await one.come(4 * DAY_MS);
  const { rows } = await db.sql.query<{ shard: number }>(
    'select shard from automation_dates where application_id = $1',
    [one.applicationId],
  );
  await one.timersOf(rows[0]?.shard ?? 0);
  const left = async () => {
    const found = await db.sql.query<{ n: number }>(
      'select count(*)::int as n from automation_dates where application_id = $1',
      [many.applicationId],
    );
    return found.rows[0]?.n;
  };

  expect(await one.entered()).toEqual(['bob']);
  expect(await left()).toBe(601);
  await one.timers();
  expect(await left()).toBe(1);
});

test('a deleted user has no date', async () => {
  const rig = await newRig();
  await rig.register('ada', ending(inDays(3)));
  await rig.register('bob', ending(inDays(3)));
  await rig.start();
  await deleteUser(db, {
    applicationId: rig.applicationId,
    customUserId: 'ada',
    clock: createFakeClock(),
  });

  expect(Object.keys(await rig.dates())).toEqual(['bob']);
});

test('a run that waits for a date of its person hears that it is another', async () => {
  const rig = await automationRig(db);
  await rig.define('cartd');
  await rig.register('ada', ending(inDays(9)));
  await rig.activate(cart([{ id: 'until', until: { attribute: 'endsOn' } }, mail('mail')]));
  await rig.does('cartd');
  await rig.step();
  await rig.store({ messages: [userMessage(ending(inDays(-1)))] });
  await rig.step();

  expect(await rig.traces()).toEqual([['entered', 'until waiting', 'until passed', 'mail sent']]);
});
