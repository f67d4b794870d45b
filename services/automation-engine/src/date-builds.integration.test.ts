import { afterAll, describe, expect, test } from '@jest/globals';
import { activateAutomation } from '@tidings/automations/automations';
import type { Database } from '@tidings/postgres/database';
import { applyRecords, createOwnDatabase, userMessage } from '@tidings/testing';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { buildSome, dateRig, ending, inDays, passGuard } from './testing/date-rig.ts';
import { HOUR_MS } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const newRig = () => dateRig(db);

/** A database whose transactions wait before their commit. */
function beforeCommit() {
  const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const transaction = ((work, options) =>
    db.transaction(async (sql) => {
      const result = await work(sql);
      done();
      await released;
      return result;
    }, options)) as Database['transaction'];
  return { held: { ...db, transaction }, isDone, release };
}

describe('a date that is stored by a transaction that is open beside the activation', () => {
  async function openRig() {
    const rig = await newRig();
    await rig.register('ada');
    const own = beforeCommit();
    const record = rig.record({ messages: [userMessage(ending(inDays(3)))] });
    return {
      ...rig,
      store: async () => {
        const consumer = { consumer: 'users', apply: applyUserMessages } as const;
        const stored = applyRecords(own.held, consumer, [record]);
        await own.isDone;
        return { stored };
      },
      async known(stored: Promise<unknown>) {
        while (await buildSome(db)) continue;
        own.release();
        await stored;
        await rig.build();
        return rig.dates();
      },
    };
  }
  const ada = { ada: inDays(3) + 9 * HOUR_MS };

  test('is known when it began before', async () => {
    const rig = await openRig();
    const { stored } = await rig.store();
    await rig.activate(rig.definition);

    expect(await rig.known(stored)).toEqual(ada);
  });

  test('is known when it began while the activation was written', async () => {
    const rig = await openRig();
    await rig.write(rig.definition);
    const { held, isDone, release } = beforeCommit();
    const activated = activateAutomation(held, { ...rig.which, inFlight: 'keep' });
    await isDone;
    const { stored } = await rig.store();
    release();
    await activated;

    expect(await rig.known(stored)).toEqual(ada);
  });
});

test('a look at everyone of one application does not wait for that of another', async () => {
  const [many, one] = [await newRig(), await newRig()];
  for (const who of ['ada', 'bob', 'carl', 'dora', 'eve'])
    await many.register(who, ending(inDays(3)));
  await one.register('zoe', ending(inDays(3)));
  await many.activate(many.definition);
  await one.activate(one.definition);
  await passGuard(db);
  // Each is noted, and looks once.
  for (let step = 0; step < 4; step += 1) await buildSome(db, 1);
  await one.step();

  expect(Object.keys(await one.dates())).toEqual(['zoe']);
  await many.build();
  expect(Object.keys(await many.dates())).toHaveLength(5);
});

test('a look at everyone goes on where a process died in it', async () => {
  const rig = await newRig();
  for (const who of ['ada', 'bob', 'carl', 'dora', 'eve'])
    await rig.register(who, ending(inDays(3)));
  await rig.activate(rig.definition);
  await passGuard(db);
  await buildSome(db);
  await buildSome(db);
  const transaction = ((work, options) =>
    db.transaction(async (sql) => {
      await work(sql);
      throw new Error('killed');
    }, options)) as typeof db.transaction;
  const sql = { query: () => Promise.reject(new Error('killed')) };
  await expect(buildSome({ ...db, sql, transaction })).rejects.toThrow('killed');
  await rig.build();

  expect(Object.keys(await rig.dates())).toEqual(['ada', 'bob', 'carl', 'dora', 'eve']);
});
