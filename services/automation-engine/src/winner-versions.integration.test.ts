import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { activateAutomation } from '@tidings/automations/automations';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { createOwnDatabase } from '@tidings/testing';
import { cart, HOUR_MS, mail } from './testing/rig.ts';
import { ab, forGoal, order, PEOPLE, winnerRig, type WinnerRig } from './testing/winner-rig.ts';

jest.setTimeout(60_000);

const db = await createOwnDatabase();
afterAll(() => db.close());

let rig: WinnerRig;
beforeEach(async () => {
  rig = await winnerRig(db);
});

describe('a new version', () => {
  async function decided(definition: AutomationDefinition): Promise<void> {
    await rig.activate(definition);
    await rig.enter();
    await rig.click(0, 0.8);
    await rig.hourPasses();
    expect(await rig.decide()).toEqual([0]);
  }

  test.each<readonly [string, AutomationDefinition]>([
    ['another name', cart([ab()], { name: 'Another' })],
    ['a step after the split', cart([ab(), mail('after')])],
    ['a step before it', cart([mail('before'), ab()])],
    ['a goal, which clicks do not count', cart([ab()], { exit: [order] })],
  ])('with %s keeps the decision', async (_what, next) => {
    await decided(cart([ab()]));
    await rig.activate(next);
    await rig.enter(['late']);

    expect((await rig.said())['winner:0']).toBe(1);
    expect((await rig.reported()).decision).toMatchObject({ choice: 0 });
  });

  test.each<readonly [string, AutomationDefinition]>([
    ['other weights', cart([ab({}, [1, 2])])],
    ['another branch', cart([ab({}, [1, 1, 1])])],
    ['another measure', cart([ab({ by: 'goal' })], { exit: [order] })],
    ['another time', cart([ab({ after: '2h' })])],
    [
      'another message',
      cart([{ ...ab(), split: [0, 1].map((no) => ({ weight: 1, nodes: [mail(`n${no}`)] })) }]),
    ],
  ])('with %s begins anew', async (_what, next) => {
    await decided(cart([ab()]));
    await rig.activate(next);
    const before = await rig.said();
    await rig.enter(['late']);

    expect((await rig.said())['winner:0'] ?? 0).toBe(before['winner:0'] ?? 0);
    const { decision, figures } = await rig.reported();
    expect(decision).toBeNull();
    expect(figures.reduce((sum, { runs }) => sum + runs, 0)).toBe(1);
  });

  test('with other goals begins anew, where these are compared', async () => {
    await rig.activate(forGoal());
    await rig.enter();
    await rig.activate(forGoal({ exit: [{ ...order, where: [{ attribute: 'price', gt: 5 }] }] }));

    expect((await rig.reported()).figures.map(({ runs }) => runs)).toEqual([0, 0]);
  });

  test('an undecided search goes on, with the people of the version before', async () => {
    await rig.activate(cart([ab()]));
    await rig.enter();
    await rig.click(0, 0.8);
    await rig.activate(cart([ab()], { name: 'Another' }));
    await rig.hourPasses();

    expect((await rig.reported()).figures.reduce((sum, { runs }) => sum + runs, 0)).toBe(PEOPLE);
    expect(await rig.decide()).toEqual([0]);
  });

  test('as an earlier one was begins anew too', async () => {
    await decided(cart([ab()]));
    await rig.activate(cart([ab({}, [1, 2])]));
    await rig.activate(cart([ab()]));

    expect((await rig.reported()).decision).toBeNull();
  });

  test('runs of the version before keep its decision', async () => {
    await rig.activate(cart([{ id: 'hour', delay: '1h' }, ab()]));
    await rig.enter(['early']);
    await db.sql.query(
      `insert into decisions (application_id, subject_id, version, node, choice, certainty, figures)
       values ($1, $2, 1, 'ab', 1, 0.99, '[]')`,
      [rig.applicationId, (await rig.automationOf()).id],
    );
    await rig.activate(cart([{ id: 'hour', delay: '1h' }, ab({}, [1, 2])]));
    await rig.pass(2 * HOUR_MS);
    await rig.step();

    expect(await rig.said()).toEqual({ 'winner:1': 1 });
  });

  test('runs that are moved to it take what it has, and do not count in it', async () => {
    await rig.activate(cart([{ id: 'hour', delay: '1h' }, ab()]));
    await rig.enter();
    await rig.write(cart([{ id: 'hour', delay: '1h' }, ab({}, [1, 2])]));
    await activateAutomation(db, { ...rig.which, inFlight: 'move', by: 'test' });
    await rig.pass(2 * HOUR_MS);
    await rig.step();

    const { 0: first = 0, 1: second = 0 } = await rig.said();
    expect(first + second).toBe(PEOPLE);
    expect((await rig.reported()).figures.map(({ runs }) => runs)).toEqual([0, 0]);
  });
});
