import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sql } from '@tidings/postgres/database';
import { askUsers } from '@tidings/segments/ask-users';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { createQuestionQueue, QUESTION_DEFAULTS } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { askFunnel } from './ask-funnel.ts';
import { estimateFunnel } from './compile/estimate-funnel.ts';
import { explainFunnel } from './compile/explain-person.ts';

const EVENTS = 100_000;
const NOW = Date.parse('2026-11-20T10:20:00.000Z');
const DAY_MS = 86_400_000;
const STEPS = ['viewd', 'cartd', 'order'];

const db = connectTestDatabase();
afterAll(() => db.close());
const queue = createQuestionQueue(db, {
  ...QUESTION_DEFAULTS,
  timeoutMs: 120_000,
  workMemMiB: 64,
});

/** An application with the same events, of this number of people in turn. */
async function createPeople(count: number): Promise<ConditionContext> {
  const { applicationId } = await createTestApplication(db);
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     select $1, slug, 'action', slug, 'auto' from unnest($2::text[]) slug`,
    [applicationId, STEPS],
  );
  await db.transaction(
    (sql) =>
      sql.query(
        `with people as (
       insert into users (id, application_id, custom_user_id, registered_at)
       select gen_random_uuid(), $1, 'user-' || n, now() from generate_series(0, $2::int - 1) n
       returning id, substring(custom_user_id from 6)::int as n
     )
     insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
       time, received_at)
     select gen_random_uuid(), 0, $1, p.id, 'm' || e.n, 'action', ($4::text[])[1 + e.n / $2 % 3],
       $5::bigint - ($3 - e.n)::bigint * 60000, now()
     from generate_series(0, $3::int - 1) as e(n) join people p on p.n = e.n % $2::int`,
        [applicationId, count, EVENTS, STEPS, NOW],
      ),
    { statementTimeoutMs: 240_000 },
  );
  return readConditionContext(db.sql, applicationId);
}

let one: ConditionContext;
let many: ConditionContext;
beforeAll(async () => {
  one = await createPeople(1);
  many = await createPeople(10_000);
  await db.sql.query('analyze events');
}, 300_000);

const questionOf = (context: ConditionContext) => ({
  context,
  funnel: { steps: STEPS.map((event) => ({ event })), window: '7d' },
  from: NOW - 80 * DAY_MS,
  to: NOW + 1,
  now: NOW,
  condition: null,
});

/** Blocks that this transaction asked for, of the events and their indexes. */
async function countBlocks(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ blocks: number }>(
    `with partitions as (select relid from pg_partition_tree('events'))
     select sum(pg_stat_get_xact_blocks_fetched(r.oid))::float8 as blocks
     from (
       select relid::oid as oid from partitions
       union all
       select i.indexrelid from pg_index i join partitions p on p.relid = i.indrelid
     ) r`,
  );
  return rows[0]?.blocks ?? Number.NaN;
}

test('one person with 100,000 events costs no more than the same events of many', async () => {
  const ask = async (context: ConditionContext) => {
    const answer = await queue.ask(context.applicationId, async (sql) => {
      const { steps } = await askFunnel(sql, {
        ...questionOf(context),
        breakdown: null,
        hasVisitors: false,
        memoryMiB: 16,
      });
      return { steps, blocks: await countBlocks(sql) };
    });
    if (typeof answer === 'string') throw new Error(answer);
    return answer;
  };

  const [ofOne, ofMany] = [await ask(one), await ask(many)];

  expect(ofOne.steps.map(({ users }) => users)).toEqual([1, 1, 1]);
  expect(ofMany.steps[0]?.users).toBe(10_000);
  expect(ofOne.blocks).toBeGreaterThan(0);
  expect(ofOne.blocks).toBeLessThan(ofMany.blocks * 1.2);
}, 120_000);

test('that person is explained, and is part of an estimate', async () => {
  const asked = await askUsers(db, async (sql) => ({
    explained: await explainFunnel(sql, questionOf(one), 'user-0'),
    estimated: await estimateFunnel(sql, questionOf(one), {
      drawn: { customUserIds: ['user-0'], registered: 1, isAll: true },
      isOver: () => false,
    }),
  }));

  expect(asked).toMatchObject({
    explained: { reached: 3, state: 'converted' },
    estimated: { isExact: true, steps: [{ users: 1 }, { users: 1 }, { users: 1 }] },
  });
}, 60_000);
