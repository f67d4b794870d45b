import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readAutomation } from '@tidings/automations/automations';
import { foldCounts, keepSentCounts } from '@tidings/automations/counters';
import { readReport, type Totals } from '@tidings/automation-reports/report';
import { endRun, retryRun } from '@tidings/automations/change-runs';
import { startRun } from '@tidings/automations/start-run';
import { createFakeClock, createOwnDatabase } from '@tidings/testing';
import { purgeCampaigns } from '@tidings/delivery/campaign-retention';
import { deleteUser } from '@tidings/user-data/delete-user';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const DAY_MS = 24 * HOUR_MS;
const DAYS = 8;
const hour = { id: 'hour', delay: '1h' } as const;
const TODAY = Math.floor(Date.now() / DAY_MS);

const rig = await automationRig(db);
const which = { applicationId: rig.applicationId, slug: 'cart' };

/** Someone who entered some days ago: their run has not begun. */
async function enter(customUserId: string, daysAgo: number): Promise<string> {
  await rig.register(customUserId);
  const started = await startRun(db, { ...which, customUserId });
  if (typeof started === 'string') throw new Error(started);
  await db.sql.query(
    `update automation_runs set entered_at = now() - $2 * interval '1 day' where id = $1`,
    [started.runId, daysAgo],
  );
  return started.runId;
}

async function report(period: { from?: number; to?: number } = {}) {
  const automation = await readAutomation(db.sql, which);
  if (automation === null) throw new Error('no automation');
  return readReport(db.sql, { applicationId: rig.applicationId, automation }, period);
}

type Counted = Pick<Totals, 'entered' | 'active' | 'completed' | 'exited' | 'failed'>;

/** Of each period of whole days, what the report says. */
async function allPeriods(): Promise<{ from: number; to: number; said: Counted }[]> {
  const periods = [];
  for (let from = TODAY - DAYS; from <= TODAY; from += 1)
    for (let to = from; to <= TODAY; to += 1) {
      const { entered, active, completed, exited, failed } = await report({
        from: from * DAY_MS,
        to: to * DAY_MS,
      });
      periods.push({ from, to, said: { entered, active, completed, exited, failed } });
    }
  return periods;
}

/** The same, counted from the runs. `gone`: days of runs of deleted people, which had exited. */
async function recount(gone: readonly number[]): Promise<{ day: number; status: string }[]> {
  const { rows } = await db.sql.query<{ day: number; status: string }>(
    `select (entered_at at time zone 'UTC')::date - date '1970-01-01' as day, status
     from automation_runs where application_id = $1`,
    [rig.applicationId],
  );
  return [...rows, ...gone.map((day) => ({ day, status: 'exited' }))];
}

async function expectExact(gone: readonly number[] = []): Promise<void> {
  const runs = await recount(gone);
  for (const { from, to, said } of await allPeriods()) {
    const own = runs.filter(({ day }) => day >= from && day <= to);
    const of = (status: string): number => own.filter((run) => run.status === status).length;
    expect({ from, to, said }).toEqual({
      from,
      to,
      said: {
        entered: own.length,
        active: of('active'),
        completed: of('completed'),
        exited: of('exited'),
        failed: of('failed'),
      },
    });
  }
}

describe('a report of any period', () => {
  const ids: string[] = [];
  const goneDay = TODAY - 3;
  beforeAll(async () => {
    await rig.activate(cart([hour, mail('mail1')], { trigger: { api: true } }));
    for (let n = 0; n < 20; n += 1) ids.push(await enter(`p${n}`, n % DAYS));
    await rig.timers();
  }, 60_000);

  test('has each run once, as it stands, while runs end days after they entered', async () => {
    await expectExact();
    const automation = await readAutomation(db.sql, which);
    const ofRun = (runId = '') => ({ automationId: automation?.id ?? '', runId });
    await endRun(db, ofRun(ids[2]));
    await rig.timers();
    await db.sql.query(`update automation_runs set version = 99 where id = any($1::uuid[])`, [
      [ids[4], ids[5]],
    ]);
    await db.sql.query(
      `update automation_timers set due_at = now() where run_id = any($1::uuid[])`,
      [[ids[4], ids[5]]],
    );
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await rig.timers();
      await db.sql.query(
        `update automation_timers set due_at = now() where run_id = any($1::uuid[])`,
        [[ids[4], ids[5]]],
      );
    }
    await db.sql.query(`update automation_runs set version = 1 where id = $1`, [ids[5]]);
    await expectExact();
    expect(await retryRun(db, ofRun(ids[5]))).toBe('changed');
    await deleteUser(db, { ...which, customUserId: 'p3', clock: createFakeClock() });
    await expectExact([goneDay]);
    await db.sql.query(
      `update automation_timers set due_at = now() where run_id = any($1::uuid[])`,
      [ids.slice(6, 12)],
    );
    await db.sql.query(
      `update automation_runs set waits_until = now() where id = any($1::uuid[])`,
      [ids.slice(6, 12)],
    );
    await rig.timers();

    await expectExact([goneDay]);
    expect(await report()).toMatchObject({ entered: 20, completed: 6, exited: 2, failed: 1 });
  });

  test('is the same once counters are folded, which are fewer then', async () => {
    const before = await allPeriods();
    const rows = async (): Promise<number> =>
      (await db.sql.query('select from automation_counters where day < current_date - 1')).rows
        .length;
    const unfolded = await rows();
    while (await foldCounts(db.sql, 10));
    const folded = await rows();
    await db.sql.query(`update automation_timers set due_at = now()`);
    await db.sql.query(`update automation_runs set waits_until = now() where ended_at is null`);
    const same = await allPeriods();
    await rig.timers();
    await Promise.all([foldCounts(db.sql, 1_000), foldCounts(db.sql, 1_000)]);

    expect(same).toEqual(before);
    expect(folded).toBeLessThan(unfolded);
    expect(
      (
        await db.sql.query(
          'select from automation_counters where shard >= 0 and day < current_date - 1',
        )
      ).rows,
    ).toEqual([]);
    await expectExact([goneDay]);
  });

  test('has the days of long ago as their month, also before they are folded', async () => {
    await db.sql.query('update automation_counters set day = day - 500');
    const [from, to] = [(TODAY - 560) * DAY_MS, (TODAY - 470) * DAY_MS];
    const before = await report({ from, to });
    while (await foldCounts(db.sql, 10));
    const { rows } = await db.sql.query<{ day: string }>(
      `select distinct extract(day from day)::int as day from automation_counters`,
    );

    expect(before).toMatchObject({ entered: 20 });
    expect(await report({ from, to })).toEqual(before);
    expect(rows).toEqual([{ day: 1 }]);
  });

  test('keeps what became of messages whose campaigns are deleted', async () => {
    const sent = async () => (await report()).nodes.map((node) => node.sent);
    const before = await sent();
    // As if they had been opened then.
    await db.transaction(async (sql) => {
      await sql.query(
        `create temporary table aged on commit drop as
         select id as is_now, uuidv7(interval '-800 days') as was from campaigns where application_id = $1`,
        [rig.applicationId],
      );
      await sql.query(
        `insert into campaigns select (jsonb_populate_record(c, jsonb_build_object('id', a.was,
           'created_at', now() - interval '800 days', 'retried_at', now() - interval '800 days',
           'has_recipient_rows', false))).*
         from campaigns c join aged a on a.is_now = c.id`,
      );
      for (const table of ['deliveries', 'campaign_chunks', 'campaign_events'])
        await sql.query(`delete from ${table} k using aged a where a.is_now = k.campaign_id`);
      await sql.query(
        'update campaign_counters k set campaign_id = a.was from aged a where a.is_now = k.campaign_id',
      );
      await sql.query('delete from campaigns c using aged a where a.is_now = c.id');
    });
    const purged = await purgeCampaigns(db, { days: 730, limit: 100 }, keepSentCounts);

    expect(purged).toBeGreaterThan(0);
    expect(await sent()).toEqual(before);
    expect(before.at(-1)?.total).toBeGreaterThan(0);
  });
});
