import { afterAll, describe, expect, test } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { createOwnDatabase } from '@tidings/testing';
import {
  cart,
  DAY_MS,
  enteredSince,
  event,
  HOUR_MS,
  mail,
  PERIOD as period,
  rehearsalRig,
} from './testing/rig.ts';

// Of its own: what waits in any application is run.
const db = await createOwnDatabase();
afterAll(() => db.close());

const entered = enteredSince(period.from);

describe('a schedule', () => {
  /** Each second day at nine. */
  const weekly = (overrides: Partial<AutomationDefinition> = {}) =>
    cart([mail('mail1')], {
      trigger: { schedule: { cron: '0 9 * * *', timeZone: 'UTC' }, segment: 'viewers' },
      entry: { again: 'never' },
      ...overrides,
    });

  test('enters who was in its segment at each instant', async () => {
    const rig = await rehearsalRig(db, ['ada', 'bob', 'cem']);
    await rig.segment('viewers', { event: event('view'), within: '2d' });
    await rig.store(
      { name: 'view', at: period.from + 30 * HOUR_MS },
      { name: 'view', of: 'bob', at: period.from - 30 * HOUR_MS },
      { name: 'order', at: period.from + 50 * HOUR_MS },
    );

    const result = await rig.rehearse(
      weekly({
        entry: { again: 'always' },
        exit: [{ event: event('order'), as: 'goal' }],
        nodes: [{ id: 'days', delay: '20h' }, mail('mail1')],
      }),
      period,
    );

    expect(entered(result)).toEqual([
      ['ada', 33, 33, null],
      ['ada', 57, 57, null],
      ['bob', 9, 9, null],
    ]);
    expect(result).toMatchObject({
      status: 'completed',
      people: { rehearsed: 3, of: 3 },
      entered: 3,
      goals: 1,
      cut: null,
    });
  });

  test('does not enter at the very instant at which its period begins', async () => {
    const rig = await rehearsalRig(db, ['ada']);
    await rig.segment('viewers', { attribute: 'plan', is: 'pro' });
    await rig.profile('ada', { plan: 'pro' });
    const entry = { again: 'always' } as const;

    const result = await rig.rehearse(weekly({ entry }), {
      ...period,
      from: period.from + 9 * HOUR_MS,
      to: period.from + 40 * HOUR_MS,
    });

    expect(entered(result)).toEqual([['ada', 33, 33, null]]);
  });

  test('asks a segment of profiles once, and passes those who registered later', async () => {
    const rig = await rehearsalRig(db, ['ada', 'bob', 'cem']);
    await rig.segment('viewers', { attribute: 'plan', is: 'pro' });
    await rig.profile('ada', { plan: 'pro' });
    await rig.profile('bob', { plan: 'pro' }, period.from + 4 * DAY_MS);

    const result = await rig.rehearse(weekly(), period);

    expect(entered(result)).toEqual([
      ['ada', 9, 9, null],
      ['bob', 4 * 24 + 9, 4 * 24 + 9, null],
    ]);
    expect(result.refused).toEqual({ re_entry: 8 + 4 });
  });

  test('is cut by time', async () => {
    const rig = await rehearsalRig(db, ['ada']);
    await rig.segment('viewers', { event: event('view'), within: '2d' });
    let ms = 0;
    const clock = { monotonicMs: () => (ms += 1_000) };

    const result = await rig.rehearse(weekly(), period, {
      clock,
      bounds: { events: 1e6, ms: 4_000 },
    });

    expect(result).toMatchObject({ cut: 'time', people: { rehearsed: 0, of: 1 }, entered: 0 });
  });
});

describe('a date', () => {
  const expiring = (overrides: Partial<AutomationDefinition> = {}) =>
    cart([mail('mail1')], {
      trigger: { date: { attribute: 'expiresOn' }, offset: '-1d', at: '09:00' },
      ...overrides,
    });
  const on = (ms: number): string => new Date(ms).toISOString();

  test('enters each person at their own instant, in their zone', async () => {
    const rig = await rehearsalRig(db, ['ada', 'bob', 'cem', 'dan', 'eve']);
    await rig.profile('ada', { expiresOn: on(period.from + 3 * DAY_MS), timeZone: 'UTC' });
    await rig.profile('bob', { expiresOn: on(period.from + 3 * DAY_MS), timeZone: 'Asia/Tokyo' });
    // Out of the period, and none.
    await rig.profile('cem', { expiresOn: on(period.to + 9 * DAY_MS) });
    // Past when they register, within a day of it, and by more.
    const late = { timeZone: 'UTC', expiresOn: on(period.from + 5 * DAY_MS) };
    await rig.profile('dan', late, period.from + 4 * DAY_MS + 20 * HOUR_MS);
    await rig.profile('eve', late, period.from + 6 * DAY_MS);

    const result = await rig.rehearse(expiring(), period);

    expect(entered(result)).toEqual([
      ['ada', 2 * 24 + 9, 2 * 24 + 9, null],
      ['bob', 2 * 24, 2 * 24, null],
      ['dan', 4 * 24 + 20, 4 * 24 + 9, null],
    ]);
    expect(result).toMatchObject({ people: { rehearsed: 5, of: 5 }, entered: 3 });
  });

  test('of each year enters once in the period', async () => {
    const rig = await rehearsalRig(db);
    const birthday = new Date(period.from + 2 * DAY_MS);
    birthday.setUTCFullYear(1984);
    await db.sql.query(
      `update users set fields = fields || jsonb_build_object('birthday', $2::bigint)
       where application_id = $1`,
      [rig.applicationId, birthday.getTime()],
    );

    const result = await rig.rehearse(
      expiring({ trigger: { date: { field: 'birthday' }, at: '09:00', yearly: true } }),
      period,
    );

    expect(result).toMatchObject({ entered: 1, active: 0, completed: 1 });
  });
});

test('a throttle is left out, and said', async () => {
  const rig = await rehearsalRig(db, ['ada', 'bob']);
  for (const each of ['ada', 'bob']) await rig.store({ name: 'cartd', of: each, at: period.from });

  const { assumptions: plain } = await rig.rehearse(cart([mail('mail1')]), period);
  const result = await rig.rehearse(
    cart([mail('mail1')], { throttle: { sends: 1, per: '1d' } }),
    period,
  );

  expect(plain).not.toContain('not_throttled');
  expect(result.assumptions).toContain('not_throttled');
  expect(result.days).toMatchObject([{ sent: 2 }]);
});

test('a split that looks for its better branch divides by weight, and that is said', async () => {
  const people = Array.from({ length: 12 }, (_each, index) => `p${index}`);
  const rig = await rehearsalRig(db, people);
  for (const each of people) await rig.store({ name: 'cartd', of: each, at: period.from });
  const split = {
    id: 'ab',
    split: ['a', 'b'].map((id) => ({ weight: 1, nodes: [mail(id)] })),
  };

  const plain = await rig.rehearse(cart([split]), period);
  const result = await rig.rehearse(
    cart([{ ...split, winner: { by: 'clicked', after: '15m', minimum: 10 } }]),
    period,
  );

  expect(plain.assumptions).not.toContain('splits_by_weight');
  expect(result.assumptions).toContain('splits_by_weight');
  expect(Object.keys(result.nodes[0]?.branches ?? {})).toEqual(['0', '1']);
  expect(result.nodes).toEqual(plain.nodes);
});

test('a run waits while it is quiet, and ends for whom a message does not reach', async () => {
  const rig = await rehearsalRig(db, ['ada', 'bob']);
  await db.sql.query(
    `update applications
     set settings = settings || '{"quietHours": {"default": {"from": "20:00", "to": "08:00"}}, "timeZone": "UTC"}'
     where id = $1`,
    [rig.applicationId],
  );
  await db.sql.query(
    `update users set fields = '{}' where application_id = $1 and custom_user_id = 'bob'`,
    [rig.applicationId],
  );
  const at = period.from + 22 * HOUR_MS;
  for (const each of ['ada', 'bob']) await rig.store({ name: 'cartd', of: each, at });

  const { traces } = await rig.rehearse(
    cart(
      [
        {
          id: 'mail1',
          send: {
            channel: 'EMAIL',
            message: { title: 'Hi', body: 'Hi <a href="{{unsubscribeUrl}}">no more</a>' },
            onUnreachable: 'exit',
            quietHours: 'wait',
          },
        },
        { id: 'day', delay: '1d' },
      ],
      { purpose: 'marketing' },
    ),
    period,
  );

  const ways = traces.map(({ customUserId, status, lines }) => [
    customUserId,
    status,
    ...lines.map((line) => `${line.node} ${line.outcome} ${(line.at - at) / HOUR_MS}`),
  ]);
  expect(ways.toSorted()).toEqual([
    [
      'ada',
      'completed',
      ' entered 0',
      'mail1 waiting 0',
      'mail1 sent 10',
      'day waiting 10',
      'day passed 34',
    ],
    ['bob', 'exited', ' entered 0', 'mail1 exited 0'],
  ]);
});

test('who has unsubscribed leaves where they come next', async () => {
  const rig = await rehearsalRig(db, ['ada', 'bob']);
  for (const each of ['ada', 'bob']) await rig.store({ name: 'cartd', of: each, at: period.from });
  await db.sql.query(
    `insert into suppressions (application_id, channel, address, reason)
     values ($1, 'EMAIL', 'bob@example.org', 'unsubscribed')`,
    [rig.applicationId],
  );

  const { traces } = await rig.rehearse(
    cart([{ id: 'hour', delay: '1h' }], { exit: [{ unsubscribed: 'EMAIL' }] }),
    period,
  );

  expect(Object.fromEntries(traces.map((each) => [each.customUserId, each.status]))).toEqual({
    ada: 'completed',
    bob: 'exited',
  });
});
