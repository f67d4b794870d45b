import { afterAll, describe, expect, test } from '@jest/globals';
import { pauseAutomation, readAutomation } from '@tidings/automations/automations';
import { explainUser } from '@tidings/automation-reports/why';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { createOwnDatabase } from '@tidings/testing';
import { appendChanges } from '@tidings/user-changes/changes';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const hour = { id: 'hour', delay: '1h' } as const;

/** People whom instants of a trigger enter: here that of the API, which has no event either. */
async function newRig(overrides: Partial<AutomationDefinition> = {}) {
  const rig = await automationRig(db);
  await rig.register();
  const { id: automationId } = await rig.activate(
    cart([mail('mail')], { trigger: { api: true }, ...overrides }),
  );
  const userIdOf = async (customUserId: string): Promise<string> => {
    const { rows } = await db.sql.query<{ id: string }>(
      'select id from users where application_id = $1 and custom_user_id = $2',
      [rig.applicationId, customUserId],
    );
    return rows[0]?.id ?? '';
  };
  return {
    ...rig,
    userIdOf,
    /** The instant comes for these people; once, or again. */
    async arrive(at: number, trigger = 'api', userIds: readonly string[] = []) {
      const ids = userIds.length > 0 ? userIds : [await userIdOf('ada')];
      await db.transaction((sql) =>
        appendChanges(
          sql,
          ids.map((userId) => ({ kind: 'trigger', userId, automationId, trigger, at })),
        ),
      );
      await rig.step();
    },
    async why() {
      const which = { applicationId: rig.applicationId, slug: 'cart' };
      const automation = await readAutomation(db.sql, which);
      if (automation === null) throw new Error('no automation');
      const { applicationId } = rig;
      return explainUser(db.sql, { applicationId, automation, customUserId: 'ada' });
    },
  };
}

describe('an instant without an event', () => {
  test('enters each person once, however often it comes', async () => {
    const rig = await newRig();
    await rig.register('bob');
    const both = [await rig.userIdOf('ada'), await rig.userIdOf('bob')];
    const at = Date.now();
    await rig.arrive(at, 'api', both);
    await rig.arrive(at, 'api', [...both, ...both]);
    await rig.arrive(at + 1);

    expect(await rig.triggers()).toEqual(['entered', 'entered', 'entered']);
    expect(await rig.deliveries()).toHaveLength(3);
    expect((await rig.traces())[0]).toEqual(['entered', 'mail sent']);
  });

  test('is refused as an event is, and why says so', async () => {
    const rig = await newRig({ filter: { attribute: 'plan', is: 'pro' }, nodes: [hour] });
    const at = Date.now();
    await rig.arrive(at);
    await rig.register('ada', { customAttributes: { plan: 'pro' } });
    await rig.arrive(at + 1);
    await rig.arrive(at + 2);
    const [run] = await rig.runs();

    expect(await rig.why()).toMatchObject({
      triggers: [
        { at: at + 2, result: 'skipped', reason: 're_entry', pointer: '/entry/again' },
        { at: at + 1, result: 'entered', runId: run?.id },
        { at, result: 'skipped', reason: 'filter', pointer: '/filter' },
      ],
      runs: [{ runId: run?.id }],
    });
  });

  test('enters no one in a pause, or by an instant of before the activation', async () => {
    const rig = await newRig();
    await rig.arrive(Date.now() - HOUR_MS);
    const before = await rig.triggers();
    await pauseAutomation(db, { applicationId: rig.applicationId, slug: 'cart', by: 'test' });
    await rig.arrive(Date.now() + 1_000);

    expect([before, await rig.triggers(), await rig.runs()]).toEqual([[], ['paused'], []]);
  });

  test('is passed where the automation has another kind of trigger by now', async () => {
    const rig = await newRig();
    await rig.arrive(Date.now(), 'schedule');

    expect(await rig.triggers()).toEqual([]);
  });
});

test('an arrival that cannot be decided is passed, and others enter', async () => {
  const rig = await newRig();
  for (const name of ['bob', 'cyd', 'dee']) await rig.register(name);
  const ids = await Promise.all(['ada', 'bob', 'cyd', 'dee'].map(rig.userIdOf));
  await db.sql.query(
    `alter table automation_triggers add constraint not_cyd check (user_id <> '${ids[2]}')`,
  );
  await rig.arrive(Date.now(), 'api', ids);
  await db.sql.query('alter table automation_triggers drop constraint not_cyd');

  expect(rig.failures).toHaveLength(1);
  expect((await rig.deliveries()).map((each) => each.custom_user_id).toSorted()).toEqual([
    'ada',
    'bob',
    'dee',
  ]);
});
