import { afterAll, describe, expect, test } from '@jest/globals';
import type { UntilNode } from '@tidings/contracts/automations/calendar';
import { localInstantMs, nextLocalTimeMs } from '@tidings/platform';
import { createOwnDatabase, userMessage } from '@tidings/testing';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const DAY_MS = 24 * HOUR_MS;

async function newRig() {
  const rig = await automationRig(db);
  await rig.define('cartd');
  const waiting = async () => {
    const { rows } = await db.sql.query<{ who: string; until: Date; due: Date }>(
      `select u.custom_user_id as who, r.waits_until as until, t.due_at as due
       from automation_runs r join users u on u.id = r.user_id
         join automation_timers t on t.run_id = r.id
       where r.application_id = $1 and r.status = 'active' order by 1`,
      [rig.applicationId],
    );
    return Object.fromEntries(
      rows.map(({ who, until, due }) => {
        expect(due).toEqual(until);
        return [who, until.getTime()];
      }),
    );
  };
  return {
    ...rig,
    waiting,
    start: async (until: UntilNode['until'], ...people: readonly string[]) => {
      await rig.activate(cart([{ id: 'until', until }, mail('mail')]));
      for (const person of people) await rig.does('cartd', {}, person);
      await rig.step();
    },
  };
}

const ofAttributes = (customAttributes: Readonly<Record<string, unknown>>) => ({
  customAttributes,
});

describe('until a time of day', () => {
  test('is by the zone of the person: their attribute, their device, the application', async () => {
    const rig = await newRig();
    await db.sql.query(
      `update applications set settings = settings || '{"timeZone": "America/New_York"}' where id = $1`,
      [rig.applicationId],
    );
    await rig.register('attribute', ofAttributes({ timeZone: 'Asia/Tokyo' }));
    await rig.register('device');
    await rig.register('neither', ofAttributes({ timeZone: 'Nowhere/Land' }));
    await db.sql.query(
      `insert into devices (application_id, device_id, user_id, proved_user_id, user_id_at_proof,
         kind, time_zone, seen_at)
       select u.application_id, 'phone', u.id, u.id, u.id, 'none', 'Pacific/Chatham', now()
       from users u where u.application_id = $1 and u.custom_user_id = 'device'`,
      [rig.applicationId],
    );
    const from = Date.now();
    await rig.start({ time: '09:00' }, 'attribute', 'device', 'neither');

    const next = (timeZone: string) =>
      nextLocalTimeMs({ time: '09:00' }, { timeZone, fromMs: from });
    expect(await rig.waiting()).toEqual({
      attribute: next('Asia/Tokyo'),
      device: next('Pacific/Chatham'),
      neither: next('America/New_York'),
    });
  });

  test('is by the clock of the application where that is asked for', async () => {
    const rig = await newRig();
    await rig.register('ada', ofAttributes({ timeZone: 'Asia/Tokyo' }));
    const from = Date.now();
    await rig.start({ time: '09:00', days: ['mon'], zone: 'application' }, 'ada');

    expect(await rig.waiting()).toEqual({
      ada: nextLocalTimeMs({ time: '09:00', days: ['mon'] }, { timeZone: 'UTC', fromMs: from }),
    });
  });

  test('a run goes on when its time has come, also late, and does not wait for the next', async () => {
    const rig = await newRig();
    await rig.register('ada');
    await rig.start({ time: '09:00' }, 'ada');
    await rig.wake();
    await rig.step();
    expect(await rig.traces()).toEqual([['entered', 'until waiting']]);
    await rig.pass(2 * DAY_MS);
    await rig.step();

    expect(await rig.traces()).toEqual([['entered', 'until waiting', 'until passed', 'mail sent']]);
    expect(rig.failures).toEqual([]);
  });
});

describe('until a date of the person', () => {
  const inDays = (days: number) => Math.floor(Date.now() / DAY_MS + days) * DAY_MS;
  const text = (ms: number) => new Date(ms).toISOString();

  test('waits for it, in their zone; what is missing, no date or past it does not wait for', async () => {
    const rig = await newRig();
    const date = inDays(10);
    const zone = { timeZone: 'America/New_York' };
    await rig.register('day', ofAttributes({ ...zone, plan: { endsOn: text(date) } }));
    await rig.register('instant', ofAttributes({ ...zone, plan: { endsOn: text(date + 1) } }));
    await rig.register('past', ofAttributes({ plan: { endsOn: text(inDays(-1)) } }));
    await rig.register('words', ofAttributes({ plan: { endsOn: 'in May' } }));
    await rig.register('number', ofAttributes({ plan: { endsOn: date } }));
    await rig.register('missing');
    await rig.start(
      { attribute: ['plan', 'endsOn'], offset: '-3d', time: '09:00' },
      'day',
      'instant',
      'past',
      'words',
      'number',
      'missing',
    );

    const at = (day: number) => localInstantMs(day + 9 * HOUR_MS, 'America/New_York');
    expect(await rig.waiting()).toEqual({
      day: at(date - 3 * DAY_MS),
      // There it is the day before.
      instant: at(date - 4 * DAY_MS),
    });
    expect(await rig.deliveries()).toHaveLength(4);
  });

  test('of a field', async () => {
    const rig = await newRig();
    const date = inDays(10);
    await rig.register('ada', { birthday: date });
    await rig.start({ field: 'birthday' }, 'ada');
    expect(await rig.waiting()).toEqual({ ada: date });

    const registered = await newRig();
    await registered.register('ada');
    await registered.start({ field: 'registeredAt', offset: '2h' }, 'ada');
    const { ada } = await registered.waiting();
    const { rows } = await db.sql.query<{ at: Date }>(
      'select registered_at as at from users where application_id = $1',
      [registered.applicationId],
    );
    expect(ada).toBe((rows[0]?.at.getTime() ?? 0) + 2 * HOUR_MS);
  });

  test('that has moved is waited for when the run looks again', async () => {
    const rig = await newRig();
    await rig.register('ada', ofAttributes({ endsOn: text(inDays(10)) }));
    await rig.register('bob', ofAttributes({ endsOn: text(inDays(10)) }));
    await rig.start({ attribute: 'endsOn' }, 'ada', 'bob');
    await rig.store({
      customUserId: 'ada',
      messages: [userMessage({ customAttributes: { endsOn: text(inDays(20)) } })],
    });
    await rig.store({
      customUserId: 'bob',
      messages: [userMessage({ customAttributes: { endsOn: null } })],
    });
    await rig.wake();
    await rig.step();

    expect(await rig.waiting()).toEqual({ ada: inDays(20) });
    const traces = await rig.traces();
    expect(traces.toSorted((one, other) => one.length - other.length)).toEqual([
      ['entered', 'until waiting'],
      ['entered', 'until waiting', 'until passed', 'mail sent'],
    ]);
  });
});
