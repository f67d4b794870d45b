import { afterAll, expect, test } from '@jest/globals';
import { handleChanges, handleTimers } from '@tidings/automations/shard-step';
import { shares } from '@tidings/automations/shares';
import type { Database, Sql } from '@tidings/postgres/database';
import { createOwnDatabase } from '@tidings/testing';
import { readUserChangesTopic, SHARDS } from '@tidings/user-changes/changes';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

/** A database that counts the statements of transactions. */
function counting(): { readonly db: Database; readonly statements: () => number } {
  let statements = 0;
  return {
    db: {
      ...db,
      transaction: (work, options) =>
        db.transaction((sql) => {
          const query = ((...args: readonly unknown[]) => {
            statements += 1;
            return (sql.query as (...given: readonly unknown[]) => unknown)(...args);
          }) as Sql['query'];
          return work({ query });
        }, options),
    },
    statements: () => statements,
  };
}

/** What a person with an event for each of some automations costs, once all is known. */
async function statementsOf(automations: number): Promise<{ changes: number; timers: number }> {
  const rig = await automationRig(db);
  const { topicId } = await readUserChangesTopic(db.sql);
  await rig.define('cartd');
  const kinds = Array.from({ length: automations }, (_, kind) => String(kind));
  for (const kind of kinds)
    await rig.activate(
      cart([mail('mail1'), { id: 'hour', delay: '1h' }, mail('mail2')], {
        trigger: {
          event: { kind: 'action', name: 'cartd' },
          where: [{ attribute: 'kind', is: kind }],
        },
        entry: { again: 'always', key: 'cart' },
      }),
      `cart-${kind}`,
    );
  await rig.register();
  const counts = { changes: 0, timers: 0 };
  for (const cartNo of [1, 2]) {
    for (const kind of kinds) await rig.does('cartd', { attributes: { kind, cart: `${cartNo}` } });
    for (const [what, step] of [
      ['changes', handleChanges],
      ['timers', handleTimers],
    ] as const) {
      const counted = counting();
      let idle = 0;
      for (let shard = 0; shard < SHARDS; shard += 1) {
        const before = counted.statements();
        const done = await step(counted.db, { topicId, shard }, rig.observer);
        if (done?.handled === 0) idle += counted.statements() - before;
      }
      counts[what] = counted.statements() - idle;
      await rig.pass(HOUR_MS);
    }
  }
  expect(rig.failures).toEqual([]);
  expect((await rig.runs()).map(({ status }) => status)).toEqual(
    Array.from({ length: 2 * automations }, () => 'completed'),
  );
  return counts;
}

test('a step asks as many statements for 30 automations of an application as for one', async () => {
  const one = await statementsOf(1);
  const many = await statementsOf(30);

  expect(many).toEqual(one);
  expect(one.changes).toBeLessThanOrEqual(45);
  expect(one.timers).toBeLessThanOrEqual(30);
}, 60_000);

test('a step has no slow automation beside the run of another application', async () => {
  const [heavy, light] = [await automationRig(db), await automationRig(db)];
  const delayed = cart([{ id: 'hour', delay: '1h' }, mail('mail1')]);
  const slow: string[] = [];
  for (const rig of [heavy, light]) {
    await rig.define('cartd');
    const { id } = await rig.activate(delayed, 'one');
    if (rig === heavy) slow.push(id, (await rig.activate(delayed, 'other')).id);
    await rig.register();
    await rig.does('cartd');
  }
  await heavy.step();
  await heavy.pass(HOUR_MS);
  await light.pass(HOUR_MS);
  await db.sql.query('update automation_timers set shard = 5 where application_id = any($1)', [
    [heavy.applicationId, light.applicationId],
  ]);
  for (const id of slow) for (let step = 0; step < 20; step += 1) shares.note(id, 1_000);
  const sent: [number, number, boolean | undefined][] = [];
  for (let step = 0; step < 3; step += 1) {
    const done = await heavy.timersOf(5);
    const [own, others] = [await heavy.deliveries(), await light.deliveries()];
    sent.push([own.length, others.length, done?.hasMore]);
  }

  expect(sent).toEqual([
    [0, 1, true],
    [1, 1, true],
    [2, 1, false],
  ]);
});
