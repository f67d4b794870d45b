import { afterAll, describe, expect, test } from '@jest/globals';
import {
  activateAutomation,
  pauseAutomation,
  resumeAutomation,
  stopAutomation,
} from '@tidings/automations/automations';
import { forgetPeople } from '@tidings/automations/forget-people';
import { endRun, retryRun } from '@tidings/automations/change-runs';
import { startRun } from '@tidings/automations/start-run';
import { readDueRuns } from '@tidings/automations/runs-due';
import { systemClock } from '@tidings/platform';
import { createOwnDatabase } from '@tidings/testing';
import { readUserChangesTopic } from '@tidings/user-changes/changes';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEngine } from './engine.ts';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const hour = { id: 'hour', delay: '1h' } as const;
const order = { event: { kind: 'action', name: 'order' } } as const;

async function newRig(definition = cart([hour, mail('mail1')], { exit: [order] })) {
  const rig = await automationRig(db);
  await rig.register();
  await rig.define('cartd', 'order');
  const { id } = await rig.activate(definition);
  const which = { applicationId: rig.applicationId, slug: 'cart', by: 'test' };
  return { ...rig, automationId: id, which };
}

async function waitingRig() {
  const rig = await newRig();
  await rig.does('cartd');
  await rig.step();
  const [run] = await rig.runs();
  return { ...rig, runId: run?.id ?? '' };
}

const BLOCKED = `select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

async function untilBlocked(): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await db.sql.query(BLOCKED)).rows.length > 0) return;
    await sleep(20);
  }
  throw new Error('nothing waits for the lock');
}

/** Begins something that has to wait for a lock, does something else meanwhile, and releases it. */
async function meanwhile(
  lock: string,
  { begin, meanwhile }: { begin: () => Promise<unknown>; meanwhile: () => Promise<unknown> },
): Promise<void> {
  const begun = await db.transaction(async (sql) => {
    await sql.query(lock);
    const waiting = begin();
    await untilBlocked();
    const other = meanwhile();
    await Promise.race([other, sleep(1_000)]);
    return [waiting, other];
  });
  await Promise.all(begun);
}

const TRIGGERS = 'lock table automation_triggers in share mode';

test('a run that is past its end stays so when its step is put off', async () => {
  const rig = await newRig(cart([mail('mail1')], { exit: [{ ...order, as: 'goal' }] }));
  await rig.does('cartd');
  await rig.step();
  await rig.wake();
  await meanwhile('lock table automation_runs in share mode', {
    begin: () => rig.timers(),
    meanwhile: () => db.sql.query(`select pg_cancel_backend(pid) from (${BLOCKED}) b`),
  });
  const { rows } = await db.sql.query(
    `select status, ended_at is not null as has_ended, goal_until is not null as awaits_goal
     from automation_runs where application_id = $1`,
    [rig.applicationId],
  );

  expect(rig.failures).toEqual(['put off']);
  expect(rows).toEqual([{ status: 'completed', has_ended: true, awaits_goal: true }]);
});

test('a shard that fails keeps no other from its work', async () => {
  const rig = await waitingRig();
  const broken = await newRig();
  await db.sql.query('update automations set live_version = 99 where id = $1', [
    broken.automationId,
  ]);
  await broken.does('cartd');
  await rig.pass(HOUR_MS);
  const { topicId } = await readUserChangesTopic(db.sql);
  const logger = { warn: () => undefined, error: () => undefined } as never;
  const deps = { db, topicId, logger, dispatch: () => Promise.resolve() };
  const engine = createEngine(deps, { lookMs: 0, clock: systemClock });
  await engine.runOnce(new AbortController().signal).catch(() => undefined);
  await db.sql.query('update automations set live_version = 1 where id = $1', [
    broken.automationId,
  ]);
  const delivered = await rig.deliveries();
  await broken.step();

  expect(delivered).toHaveLength(1);
});

describe('a pause', () => {
  test('while someone enters leaves their run a timer', async () => {
    const rig = await newRig();
    await rig.does('cartd');
    await meanwhile(TRIGGERS, {
      begin: () => rig.changes(),
      meanwhile: () => pauseAutomation(db, rig.which),
    });
    await resumeAutomation(db, { ...rig.which, missedSends: 'send' });
    await rig.step();
    await rig.pass(HOUR_MS);
    await rig.step();

    expect(await rig.runs()).toMatchObject([{ status: 'completed' }]);
  });

  test('leaves out late messages also of runs whose step is put off', async () => {
    const rig = await waitingRig();
    await pauseAutomation(db, rig.which);
    await rig.pass(3 * HOUR_MS);
    await rig.step();
    await resumeAutomation(db, { ...rig.which, missedSends: 'skip' });
    await meanwhile('lock table automation_runs in share mode', {
      begin: () => rig.timers(),
      meanwhile: () => db.sql.query(`select pg_cancel_backend(pid) from (${BLOCKED}) b`),
    });
    await rig.pass(60_000);
    await rig.step();

    expect(await rig.deliveries()).toEqual([]);
  });

  test('that ends while timers are parked leaves none parked', async () => {
    const rig = await waitingRig();
    await pauseAutomation(db, rig.which);
    await rig.pass(HOUR_MS);
    await meanwhile(
      `select from automation_timers where application_id = '${rig.applicationId}' for update`,
      {
        begin: () => rig.timers(),
        meanwhile: () => resumeAutomation(db, { ...rig.which, missedSends: 'send' }),
      },
    );
    await rig.step();

    expect(await rig.runs()).toMatchObject([{ status: 'completed' }]);
  });
});

test('a stop ends runs that were entered while it waited', async () => {
  const rig = await newRig();
  await rig.does('cartd');
  await meanwhile(
    `select pg_advisory_xact_lock(hashtextextended('automations of ' || '${rig.applicationId}', 0))`,
    {
      begin: () => stopAutomation(db, { ...rig.which, runs: 'end' }),
      meanwhile: () => rig.step(),
    },
  );
  await rig.step();

  expect(await rig.runs()).toMatchObject([{ status: 'exited' }]);
});

test('a person is taken out at once, also while a step has their run', async () => {
  const { automationId, runId, ...rig } = await waitingRig();
  await rig.wake();
  await meanwhile('lock table events in access exclusive mode', {
    begin: () => rig.timers(),
    meanwhile: () => endRun(db, { automationId, runId }),
  });
  await rig.timers();

  expect(await rig.runs()).toMatchObject([{ status: 'exited' }]);
});

test('an application with few due runs does not wait behind five with many', async () => {
  const { runId, ...rig } = await waitingRig();
  await rig.pass(HOUR_MS);
  const { rows } = await db.sql.query<{ shard: number }>(
    'select shard from automation_runs where id = $1',
    [runId],
  );
  const shard = rows[0]?.shard ?? 0;
  await db.sql.query(
    `insert into automation_timers (run_id, shard, application_id, automation_id, due_at)
     select gen_random_uuid(), $1, a.id, a.id, now() - interval '1 day'
     from (select gen_random_uuid() as id from generate_series(1, 5)) a, generate_series(1, 100)`,
    [shard],
  );
  const due = await readDueRuns(db.sql, shard);
  await db.sql.query('delete from automation_timers where application_id = automation_id');

  expect(due.map(({ id }) => id)).toEqual([runId]);
});

test('a person who is deleted while they enter leaves nothing', async () => {
  const rig = await newRig();
  await rig.does('cartd');
  const { rows } = await db.sql.query<{ id: string }>(
    'select id from users where application_id = $1',
    [rig.applicationId],
  );
  await meanwhile(TRIGGERS, {
    begin: () => rig.changes(),
    meanwhile: () =>
      db.transaction((sql) =>
        forgetPeople(
          sql,
          rows.map(({ id }) => id),
        ),
      ),
  });

  expect(await rig.runs()).toEqual([]);
});

test('runs that are moved hear the exits of their new version', async () => {
  const rig = await newRig(cart([hour, mail('mail1')]));
  await rig.does('cartd');
  await rig.step();
  await rig.write(cart([hour, mail('mail1')], { exit: [order] }));
  await activateAutomation(db, { ...rig.which, inFlight: 'move' });
  await rig.step();
  await rig.does('order');
  await rig.step();

  expect(await rig.runs()).toMatchObject([{ status: 'exited' }]);
});

test('an event whose sender has a clock ahead ends a run at once', async () => {
  const rig = await waitingRig();
  await rig.does('order', { time: Date.now() + 60_000 });
  await rig.step();

  expect(await rig.runs()).toMatchObject([{ status: 'exited' }]);
});

test('a run that fails before it begins has entered its person', async () => {
  const rig = await newRig(cart([hour], { entry: { again: 'never' } }));
  await db.sql.query('update automations set moved_to = 99 where id = $1', [rig.automationId]);
  await rig.does('cartd');
  await rig.step();
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await rig.pass(2 * 60_000);
    await rig.step();
  }
  await rig.does('cartd');
  await rig.step();

  expect(await rig.runs()).toMatchObject([{ status: 'failed' }]);
  expect(await rig.triggers()).toEqual(['entered', 're_entry']);
});

test('a repeated request has its answer also during a pause', async () => {
  const rig = await newRig(cart([hour], { trigger: { api: true } }));
  const request = { ...rig.which, customUserId: 'ada', idempotencyKey: 'k' };
  const started = await startRun(db, request);
  await pauseAutomation(db, rig.which);

  expect(await startRun(db, request)).toEqual({ ...(started as object), isReplayed: true });
});

describe('a run that was given up', () => {
  async function failedRig() {
    const rig = await waitingRig();
    const which = { automationId: rig.automationId, runId: rig.runId };
    const set = (version: number) =>
      db.sql.query('update automation_runs set version = $2 where id = $1', [rig.runId, version]);
    await set(99);
    await rig.pass(HOUR_MS);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await rig.step();
      await rig.pass(2 * 60_000);
    }
    await set(1);
    return { ...rig, which };
  }

  test('goes on once when two ask for it at once', async () => {
    const { which, ...rig } = await failedRig();
    const before = await rig.runs();
    const changed = await Promise.all([retryRun(db, which), retryRun(db, which)]);
    await rig.step();

    expect(before).toMatchObject([{ status: 'failed' }]);
    expect(changed.toSorted()).toEqual(['active', 'changed']);
    expect(await rig.counts()).toMatchObject({ entered: 1, completed: 1, failed: 0 });
    expect(await rig.deliveries()).toHaveLength(1);
    expect(await retryRun(db, which)).toBe('completed');
  });

  test('is not tried again while a step has it', async () => {
    const { which, ...rig } = await failedRig();
    await retryRun(db, which);
    let asked: Promise<string> | undefined;
    await meanwhile('lock table automation_sends in access exclusive mode', {
      begin: () => rig.timers(),
      meanwhile: () => (asked = retryRun(db, which)),
    });

    expect(await asked).toBe('active');
    expect(await rig.counts()).toMatchObject({ entered: 1, completed: 1, failed: 0 });
    expect(await rig.deliveries()).toHaveLength(1);
  });

  test('that is tried again while its person enters refuses the event, which is no fault', async () => {
    const { which, ...rig } = await failedRig();
    await rig.does('cartd');
    const faults = rig.failures.length;
    let asked: Promise<string> | undefined;
    await meanwhile(TRIGGERS, {
      begin: () => rig.changes(),
      meanwhile: () => (asked = retryRun(db, which)),
    });

    expect([await asked, rig.failures.length]).toEqual(['changed', faults]);
    expect(await rig.triggers()).toEqual(['entered', 're_entry']);
    expect(await rig.runs()).toMatchObject([{ status: 'active' }]);
  });

  test('stays so when its person has just entered again', async () => {
    const { which, ...rig } = await failedRig();
    await rig.does('cartd');
    let asked: Promise<string> | undefined;
    await meanwhile('lock table automation_entries in share mode', {
      begin: () => rig.changes(),
      meanwhile: () => (asked = retryRun(db, which)),
    });

    expect(await asked).toBe('other_run');
    expect(await rig.triggers()).toEqual(['entered', 'entered']);
    expect(await rig.runs()).toMatchObject([{ status: 'failed' }, { status: 'active' }]);
  });
});
