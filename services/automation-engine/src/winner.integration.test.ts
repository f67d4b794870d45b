import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { pauseAutomation } from '@tidings/automations/automations';
import { readReport } from '@tidings/automation-reports/report';
import { decideSplits } from '@tidings/automation-winners/decide-splits';
import { createOwnDatabase } from '@tidings/testing';
import { cart, HOUR_MS } from './testing/rig.ts';
import {
  ab,
  forGoal,
  MINIMUM,
  PEOPLE,
  people,
  winnerRig,
  type WinnerRig,
} from './testing/winner-rig.ts';

jest.setTimeout(60_000);

const db = await createOwnDatabase();
afterAll(() => db.close());

let rig: WinnerRig;
beforeEach(async () => {
  rig = await winnerRig(db);
});

describe('until it is decided', () => {
  test('people divide by weight, and the report has the figures of now', async () => {
    await rig.activate(cart([ab()]));
    const before = await rig.reported();
    expect(before).toEqual({
      by: 'clicked',
      after: '1h',
      minimum: MINIMUM,
      decideAt: null,
      figures: [
        { runs: 0, hits: 0 },
        { runs: 0, hits: 0 },
      ],
      decision: null,
    });
    await rig.enter();
    const clicks = await rig.click(1, 0.5);

    const { 0: first = 0, 1: second = 0 } = await rig.said();
    expect(first + second).toBe(PEOPLE);
    expect(Math.min(first, second)).toBeGreaterThanOrEqual(MINIMUM);
    const { decideAt, figures, decision } = await rig.reported();
    expect(figures).toEqual([
      { runs: first, hits: 0 },
      { runs: second, hits: clicks },
    ]);
    expect(decision).toBeNull();
    expect(decideAt).toBeGreaterThan(Date.now() + 0.9 * HOUR_MS);
    expect(decideAt).toBeLessThan(Date.now() + 1.1 * HOUR_MS);
  });

  test('nothing is decided before the time, also if the difference is clear', async () => {
    await rig.activate(cart([ab()]));
    await rig.enter();
    await rig.click(1, 1);

    expect(await rig.decide()).toEqual([]);
    await rig.hourPasses();
    expect(await rig.decide()).toEqual([1]);
  });

  test('the time begins with the first person, not with the activation', async () => {
    await rig.activate(cart([ab()]));
    await rig.hourPasses();
    await rig.enter();
    await rig.click(1, 1);

    expect(await rig.decide()).toEqual([]);
  });

  test('nothing is decided while a branch has had too few', async () => {
    await rig.activate(cart([ab({ minimum: PEOPLE })]));
    await rig.enter();
    await rig.click(1, 1);
    await rig.hourPasses();

    expect(await rig.decide()).toEqual([]);
  });

  test('nor while it is paused', async () => {
    await rig.activate(cart([ab()]));
    await rig.enter();
    await rig.click(1, 1);
    await rig.hourPasses();
    await pauseAutomation(db, { ...rig.which, by: 'test' });

    expect(await rig.decide()).toEqual([]);
  });
});

describe('once a branch is better', () => {
  test('all who come later take it, the trace says so, and the others stay on their way', async () => {
    await rig.activate(cart([ab({}, [1, 1]), { id: 'wait', delay: '1d' }]));
    await rig.enter();
    const clicks = await rig.click(0, 0.8);
    await rig.hourPasses();
    const before = await rig.said();
    expect(await rig.decide()).toEqual([0]);

    await rig.enter(people.map((id) => `late-${id}`));

    expect(await rig.said()).toEqual({ ...before, 'winner:0': PEOPLE });
    const { figures, decision } = await rig.reported();
    expect(figures).toEqual([
      { runs: before['0'], hits: clicks },
      { runs: before['1'], hits: 0 },
    ]);
    expect(decision).toEqual({
      choice: 0,
      certainty: expect.any(Number),
      decidedAt: expect.any(Number),
    });
    expect(decision?.certainty).toBeGreaterThan(0.95);
    expect(Math.abs((decision?.decidedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    const { nodes } = await readReport(
      db.sql,
      { applicationId: rig.applicationId, automation: await rig.automationOf() },
      {},
    );
    const branches = nodes.find(({ id }) => id === 'ab')?.branches;
    expect(branches).toEqual({ 0: (before['0'] ?? 0) + PEOPLE, 1: before['1'] });
  });

  test('later clicks, and who came later, change nothing', async () => {
    await rig.activate(cart([ab()]));
    await rig.enter();
    await rig.click(0, 0.8);
    await rig.hourPasses();
    await rig.decide();
    const first = await rig.reported();

    await rig.enter(people.map((id) => `late-${id}`));
    await rig.click(1, 1);
    expect(await rig.decide()).toEqual([]);

    expect(await rig.reported()).toEqual(first);
  });

  test('four processes beside each other decide once', async () => {
    await rig.activate(cart([ab()]));
    await rig.enter();
    await rig.click(0, 0.8);
    await rig.hourPasses();

    const all = await Promise.all(Array.from({ length: 4 }, rig.decide));

    expect(all.flat()).toEqual([0]);
    const { rows } = await db.sql.query<{ n: number }>(
      'select count(*)::int as n from decisions where application_id = $1',
      [rig.applicationId],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('a run that waits before the split takes it too', async () => {
    await rig.activate(cart([ab()]));
    await rig.enter();
    await rig.click(0, 0.8);
    await rig.hourPasses();
    await rig.decide();
    await rig.activate(cart([{ id: 'hour', delay: '1h' }, ab()]));
    await rig.enter(['waiting']);
    await rig.pass(2 * HOUR_MS);
    await rig.step();

    expect((await rig.said())['winner:0']).toBe(1);
  });
});

test('by a goal: who reached one of those who took a branch', async () => {
  await rig.activate(forGoal({ nodes: [ab({ by: 'goal' }), { id: 'wait', delay: '1d' }] }));
  await rig.enter();
  const { rows } = await db.sql.query<{ id: string }>(
    `select u.custom_user_id as id from automation_runs r join users u on u.id = r.user_id
       join automation_trace t on t.run_id = r.id and t.node = 'ab' and t.reason = '1'
     where r.application_id = $1`,
    [rig.applicationId],
  );
  for (const { id } of rows.slice(2)) await rig.does('order', {}, id);
  await rig.step();
  await rig.hourPasses();

  expect(await rig.decide()).toEqual([1]);
  expect((await rig.reported()).figures).toEqual([
    { runs: PEOPLE - rows.length, hits: 0 },
    { runs: rows.length, hits: rows.length - 2 },
  ]);
});

test('if none is better, it says so, and people go on dividing by weight', async () => {
  await rig.activate(cart([ab()]));
  await rig.enter();
  await rig.hourPasses();
  expect(await rig.decide()).toEqual([null]);
  const before = await rig.said();

  await rig.enter(people.map((id) => `late-${id}`));
  await rig.click(1, 1);

  expect(await rig.decide()).toEqual([]);
  const after = await rig.said();
  expect(Object.keys(after)).toEqual(['0', '1']);
  expect((after['0'] ?? 0) - (before['0'] ?? 0)).toBeGreaterThan(0);
  expect((await rig.reported()).decision).toMatchObject({ choice: null });
});

test('one automation that cannot be compared does not keep others from it', async () => {
  await rig.activate(cart([ab()]));
  await rig.enter();
  await rig.click(0, 0.8);
  await rig.hourPasses();
  await rig.activate(cart([ab()]), 'broken');
  await db.sql.query(
    `update automation_versions v set definition = '{"nodes": [{"id": "ab", "split": null, "winner": {}}]}'
     from automations a where a.id = v.automation_id and a.application_id = $1 and a.slug = 'broken'`,
    [rig.applicationId],
  );
  const { id } = await rig.automationOf();
  const all: unknown[] = [];
  for (let after: string | null = null; ;) {
    const { last, decided } = await decideSplits(db, { after, limit: 1 });
    all.push(...decided);
    if (last === null) break;
    after = last;
  }

  expect(all).toContainEqual({ automationId: expect.any(String), error: expect.any(TypeError) });
  expect(all).toContainEqual(expect.objectContaining({ automationId: id, choice: 0 }));
});
