import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readDueShards } from '@tidings/automations/due-shards';
import { readDueRuns } from '@tidings/automations/runs-due';
import type { Database, Sql } from '@tidings/postgres/database';
import { createFakeClock, createOwnDatabase } from '@tidings/testing';
import { readUserChangesTopic } from '@tidings/user-changes/changes';
import { createEngine } from './engine.ts';
import { automationRig, cart, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const { signal } = new AbortController();
/** The look for timers. */
const LOOK = /generate_series\(0, \$1::int - 1\) as s\(shard\).*automation_timers/;

/** A database that counts looks for work. */
function counting(): { readonly db: Database; readonly looks: () => number } {
  let looks = 0;
  const query = ((...args: readonly unknown[]) => {
    const [first] = args as [string | { readonly text: string }];
    if (LOOK.test(typeof first === 'string' ? first : first.text)) looks += 1;
    return (db.sql.query as (...given: readonly unknown[]) => unknown)(...args);
  }) as Sql['query'];
  return { db: { ...db, sql: { query } }, looks: () => looks };
}

async function newEngine(lookMs: number) {
  const { topicId } = await readUserChangesTopic(db.sql);
  const clock = createFakeClock();
  const counted = counting();
  const logger = { warn: () => undefined, error: () => undefined } as never;
  const dispatch = () => Promise.resolve();
  const engine = createEngine({ db: counted.db, topicId, logger, dispatch }, { lookMs, clock });
  return { ...engine, clock, looks: counted.looks };
}

describe('loops of one process', () => {
  test('share what one of them finds, and do all of it', async () => {
    const rig = await automationRig(db);
    await rig.define('cartd');
    await rig.activate(cart([mail('mail1')]));
    for (let person = 0; person < 20; person += 1) {
      await rig.register(`p${person}`);
      await rig.does('cartd', {}, `p${person}`);
    }
    const { runOnce } = await newEngine(180);
    await Promise.all([runOnce(signal), runOnce(signal)]);

    expect(await rig.deliveries()).toHaveLength(20);
  });

  test('do not look again before their time', async () => {
    const { runOnce, looks, clock } = await newEngine(180);
    await Promise.all([runOnce(signal), runOnce(signal)]);
    const together = looks();
    clock.advance(100);
    await runOnce(signal);
    const soon = looks();
    clock.advance(100);
    await runOnce(signal);

    expect([together, soon, looks()]).toEqual([1, 1, 2]);
  });

  test('look four times as often while there is work, and say so', async () => {
    const rig = await automationRig(db);
    await rig.define('cartd');
    await rig.activate(cart([mail('mail1')]));
    await rig.register();
    const { runOnce, clock } = await newEngine(180);
    const sent: [boolean, number][] = [];
    const lookAfter = async (ms: number): Promise<void> => {
      clock.advance(ms);
      sent.push([await runOnce(signal), (await rig.deliveries()).length]);
    };
    await rig.does('cartd');
    await lookAfter(180);
    await rig.does('cartd');
    await lookAfter(44);
    await lookAfter(1);
    await lookAfter(45);
    await rig.does('cartd');
    await lookAfter(45);
    await lookAfter(135);

    expect(sent).toEqual([
      [true, 1],
      [true, 1],
      [true, 2],
      [false, 2],
      [false, 2],
      [true, 3],
    ]);
  });
});

describe('with runs of 200 applications in each shard', () => {
  const SHARDS = 16;
  beforeAll(async () => {
    await db.sql.query(
      `insert into automation_timers (run_id, shard, application_id, automation_id, due_at)
       select uuidv7(), shard, md5('a' || application)::uuid, md5('a' || application)::uuid,
         now() + interval '1 hour' + n * interval '1 second'
       from generate_series(0, 15) as shard, generate_series(1, 200) as application,
         generate_series(1, 5) as n`,
    );
    await db.sql.query('vacuum analyze automation_timers');
  });

  /** Blocks of 8 KiB that are read by the statements of `work`. */
  async function blocksOf(work: (sql: Sql) => Promise<unknown>): Promise<number> {
    return db.transaction(async (sql) => {
      const read = async (): Promise<number> => {
        const { rows } = await sql.query<{ n: number }>(
          `select (pg_stat_get_xact_blocks_fetched('automation_timers_by_time'::regclass)
            + pg_stat_get_xact_blocks_fetched('automation_timers_due'::regclass)
            + pg_stat_get_xact_blocks_fetched('automation_timers'::regclass))::int as n`,
        );
        return rows[0]?.n ?? 0;
      };
      const before = await read();
      await work(sql);
      return (await read()) - before;
    });
  }

  test('a look for what is due reads a few pages', async () => {
    expect(await blocksOf(readDueShards)).toBeLessThanOrEqual(SHARDS * 5);
    expect(await blocksOf((sql) => readDueRuns(sql, 3))).toBeLessThanOrEqual(10);
  });

  test('it tells the shards in which something is due, the latest first', async () => {
    await db.sql.query(
      `update automation_timers set due_at = now() - shard * interval '1 minute'
       where run_id in (select distinct on (shard) run_id from automation_timers where shard in (3, 7))`,
    );
    await db.sql.query(
      `update automation_timers set due_at = now() - interval '1 hour', is_parked = true where shard = 9`,
    );
    const due = await readDueShards(db.sql);

    expect(due.map(({ shard }) => shard)).toEqual([7, 3]);
    expect(due[0]?.lateMs).toBeGreaterThanOrEqual(7 * 60_000);
  });
});
