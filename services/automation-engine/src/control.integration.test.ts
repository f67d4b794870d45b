import { afterAll, describe, expect, test } from '@jest/globals';
import {
  activateAutomation,
  pauseAutomation,
  resumeAutomation,
  stopAutomation,
} from '@tidings/automations/automations';
import { endRun, retryRun } from '@tidings/automations/change-runs';
import { wakeSomeRuns } from '@tidings/automations/wake-runs';
import { createOwnDatabase } from '@tidings/testing';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const hour = { id: 'hour', delay: '1h' } as const;

async function waitingRig() {
  const rig = await automationRig(db);
  await rig.register();
  await rig.define('cartd');
  const { id } = await rig.activate(cart([hour, mail('mail1')]));
  await rig.does('cartd');
  await rig.step();
  const [run] = await rig.runs();
  const which = { applicationId: rig.applicationId, slug: 'cart', by: 'test' };
  return { ...rig, automationId: id, runId: run?.id ?? '', which };
}

describe('a pause', () => {
  test('lets people wait and enters no one; afterwards all goes on', async () => {
    const { which, ...rig } = await waitingRig();
    await pauseAutomation(db, which);
    await rig.register('bob');
    await rig.does('cartd', {}, 'bob');
    await rig.pass(HOUR_MS);
    await rig.step();
    const paused = [await rig.deliveries(), await rig.triggers()];
    await resumeAutomation(db, { ...which, missedSends: 'skip' });
    await rig.step();

    expect(paused).toEqual([[], ['entered', 'paused']]);
    expect(await rig.deliveries()).toHaveLength(1);
  });

  test('keeps out who did it meanwhile, also if that is read afterwards', async () => {
    const { which, ...rig } = await waitingRig();
    await rig.register('bob');
    await rig.register('eve');
    await pauseAutomation(db, which);
    await rig.does('cartd', {}, 'bob');
    await resumeAutomation(db, { ...which, missedSends: 'send' });
    await rig.does('cartd', {}, 'eve');
    await rig.step();

    expect(await rig.triggers()).toEqual(['entered', 'entered', 'paused']);
  });

  test('leaves out messages that are late by more than an hour, if told so', async () => {
    const { which, ...rig } = await waitingRig();
    await pauseAutomation(db, which);
    await rig.pass(3 * HOUR_MS);
    await rig.step();
    await resumeAutomation(db, { ...which, missedSends: 'skip' });
    await rig.step();

    expect(await rig.counts()).toMatchObject({ completed: 1, 'mail1 skipped missed': 1 });
    expect(await rig.deliveries()).toEqual([]);
  });
});

describe('a stop', () => {
  test('lets runs go on to their end', async () => {
    const { which, ...rig } = await waitingRig();
    await stopAutomation(db, { ...which, runs: 'finish' });
    await rig.does('cartd');
    await rig.pass(HOUR_MS);
    await rig.step();

    expect(await rig.runs()).toMatchObject([{ status: 'completed' }]);
    expect(await rig.deliveries()).toHaveLength(1);
  });

  test('ends them where they are', async () => {
    const { which, ...rig } = await waitingRig();
    await stopAutomation(db, { ...which, runs: 'end' });
    await rig.step();

    expect(await rig.traces()).toEqual([['entered', 'hour waiting', 'hour exited stopped']]);
    expect(await rig.deliveries()).toEqual([]);
  });
});

test('what a request leaves after a pause, the scheduler wakes, some at a time', async () => {
  const { which, automationId, ...rig } = await waitingRig();
  for (const person of ['bob', 'eve', 'joe']) {
    await rig.register(person);
    await rig.does('cartd', {}, person);
  }
  await rig.step();
  await pauseAutomation(db, which);
  await rig.pass(HOUR_MS);
  await rig.step();
  await db.sql.query(`update automations set status = 'active' where id = $1`, [automationId]);

  expect(await wakeSomeRuns(db.sql, null, 3)).toBe(true);
  expect(await wakeSomeRuns(db.sql, null, 3)).toBe(false);
  await rig.step();

  expect(await rig.deliveries()).toHaveLength(4);
});

describe('a new version', () => {
  test('leaves runs in theirs, or takes them along', async () => {
    const kept = await waitingRig();
    const moved = await waitingRig();
    for (const [{ which, ...rig }, inFlight] of [
      [kept, 'keep'],
      [moved, 'move'],
    ] as const) {
      await rig.write(cart([hour, mail('mail2')]));
      await activateAutomation(db, { ...which, inFlight });
      await rig.pass(HOUR_MS);
      await rig.step();
    }

    expect((await kept.traces())[0]?.at(-1)).toBe('mail1 sent');
    expect((await moved.traces())[0]?.at(-1)).toBe('mail2 sent');
  });

  test('ends runs at a node that is gone', async () => {
    const { which, ...rig } = await waitingRig();
    await rig.write(cart([{ id: 'day', delay: '1d' }, mail('mail1')]));
    await activateAutomation(db, { ...which, inFlight: 'move' });
    await rig.step();

    expect(await rig.traces()).toEqual([['entered', 'hour waiting', 'hour exited node_removed']]);
  });
});

test('a person is taken out', async () => {
  const { automationId, runId, ...rig } = await waitingRig();

  expect(await endRun(db, { automationId, runId })).toBe('changed');
  await rig.step();

  expect(await rig.traces()).toEqual([['entered', 'hour waiting', 'hour exited ended']]);
  expect(await endRun(db, { automationId, runId })).toBe('exited');
});

test('a run that fails is tried three times more, kept, and goes on when told so; others go on', async () => {
  const { automationId, runId, ...rig } = await waitingRig();
  await rig.register('bob');
  await rig.does('cartd', {}, 'bob');
  await rig.step();
  await db.sql.query(`update automation_runs set node = 'gone', version = 99 where id = $1`, [
    runId,
  ]);
  await rig.pass(HOUR_MS);
  await rig.step();
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await rig.pass(2 * 60_000);
    await rig.step();
  }
  const failed = await rig.runs();
  const counts = await rig.counts();
  await db.sql.query(`update automation_runs set node = 'hour', version = 1 where id = $1`, [
    runId,
  ]);

  expect(await retryRun(db, { automationId, runId })).toBe('changed');
  await rig.step();

  expect(rig.failures).toHaveLength(4);
  expect(failed).toMatchObject([{ status: 'failed' }, { status: 'completed' }]);
  expect(counts).toMatchObject({ entered: 2, completed: 1, failed: 1 });
  expect(await rig.counts()).toMatchObject({ entered: 2, completed: 2, failed: 0 });
  expect(await rig.deliveries()).toHaveLength(2);
});
