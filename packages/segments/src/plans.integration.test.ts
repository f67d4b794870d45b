import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { createOwnDatabase } from '@tidings/testing';
import { createApplication } from '@tidings/accounts/applications';
import { createQuestionQueue, isUnanswered } from './question-queue.ts';
import { askUsers } from './ask-users.ts';
import { compileCondition } from './compile/compile-condition.ts';
import type { Shape } from './compile/statement-parts.ts';
import type { Sql } from '@tidings/postgres/database';
import { firstEventsAfter, selectEvents } from './person-events.ts';
import { DEFINITIONS } from './testing/create-population.ts';

/** Of its own, since other tests change the statistics of a shared one. */
const db = await createOwnDatabase({ poolMax: 2 });
afterAll(() => db.close());
const { applicationId } = await createApplication(db, 'plans');
const context = {
  applicationId,
  definitions: DEFINITIONS,
  segments: new Map<string, Condition>(),
  funnels: new Map(),
  eventRetentionDays: null,
  deliveryRetentionDays: null,
};
const now = Date.parse('2026-06-15T12:00:00.000Z');

beforeAll(async () => {
  // Never analyzed: a new installation has such statistics, and a new partition.
  await db.sql.query('alter table users set (autovacuum_enabled = false)');
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at)
     select gen_random_uuid(), $1, 'user ' || n, now() from generate_series(1, 2000) n`,
    [applicationId],
  );
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     select gen_random_uuid(), 0, $1, u.id, n::text, 'action', (array['viewd', 'login', 'chkot'])[1 + n % 3], $2::bigint - n * 60000, now()
     from users u cross join generate_series(1, 30) n where u.application_id = $1`,
    [applicationId, now],
  );
  await db.sql.query('vacuum events');
  await db.sql.query(
    `insert into campaigns (id, application_id, channel, purpose, lane, source, status, message, recipients_requested, recipients_unique, created_by, request_id, created_at, expires_at)
     select uuidv7(), case when n % 2 = 0 then $1::uuid else gen_random_uuid() end, 'EMAIL', 'marketing', 'bulk', 'api', 'completed', '{}', 1, 1, 'test', gen_random_uuid(), now(), now()
     from generate_series(1, 40) n`,
    [applicationId],
  );
  await db.sql.query(
    `insert into deliveries (campaign_id, chunk_no, application_id, channel, custom_user_id, user_id, state, sent_at)
     select c.id, 0, c.application_id, c.channel, u.custom_user_id, case when c.application_id = $1 then u.id else gen_random_uuid() end, 'sent', to_timestamp($2::bigint / 1000.0)
     from campaigns c cross join users u where u.application_id = $1`,
    [applicationId, now],
  );
}, 60_000);

async function planOf(condition: Condition, shape: Shape): Promise<string> {
  const { parameters, ...compiled } = compileCondition(condition, { context, shape, now });
  const ids = shape === 'all' ? '' : `and u.id = any(${parameters.add([], 'uuid[]')})`;
  const text = `explain (costs off) ${compiled.with} select count(*) from ${compiled.from}
    where ${compiled.isRegistered} ${ids} and ${compiled.truth}`;
  const ask = async (sql: Parameters<Parameters<typeof askUsers>[1]>[0]) =>
    (await sql.query<{ 'QUERY PLAN': string }>(text, parameters.values)).rows
      .map((row) => row['QUERY PLAN'])
      .join('\n');
  const plan =
    shape === 'all'
      ? await createQuestionQueue(db).ask(applicationId, ask)
      : await askUsers(db, ask);
  if (isUnanswered(plan)) throw new Error(plan);
  return plan;
}

/** The indexes of partitions that a plan reads, as the index of their table. */
async function indexesOf(plan: string): Promise<Set<string>> {
  const names = [...plan.matchAll(/Index (?:Only )?Scan (?:Backward )?using (\S+) on events/g)].map(
    ([, name = '']) => name,
  );
  const { rows } = await db.sql.query<{ parent: string }>(
    `select i.inhparent::regclass::text as parent from pg_inherits i
     join pg_class c on c.oid = i.inhrelid where c.relname = any($1)`,
    [names],
  );
  return new Set(rows.map(({ parent }) => parent));
}

const VIEWED: Condition = { event: 'viewd', count: { gte: 3 }, within: '30d' };
const BOTH: Condition = { all: [VIEWED, { not: { event: 'login', within: '14d' } }] };
const FOLLOWED: Condition = { event: 'chkot', within: '7d', notFollowedBy: { event: 'viewd' } };
const PAID: Condition = { event: 'order', sum: { gt: 200 }, currency: 'EUR', within: '90d' };

/** The indexes of deliveries that a plan reads. */
const deliveryIndexesOf = (plan: string): Set<string | undefined> =>
  new Set(
    [...plan.matchAll(/Index Scan (?:Backward )?(?:using|on) (deliveries\w+)/g)].map(
      ([, name]) => name,
    ),
  );

const WRITTEN_TO: Condition = {
  message: { channel: 'EMAIL', purpose: 'marketing' },
  was: 'sent',
  within: '7d',
};

test.each([
  ['of a channel and a purpose', WRITTEN_TO],
  ['of a tag', { message: { tag: 'sale' }, was: 'opened' } satisfies Condition],
  ['of any kind', { message: {}, was: 'sent', count: { gte: 3 } } satisfies Condition],
])(
  'of questions, messages %s are read by the campaigns of the application, once, not those of others',
  async (_what, condition) => {
    const plan = await planOf(condition, 'all');

    expect(deliveryIndexesOf(plan)).toEqual(new Set(['deliveries_in_chunks']));
    expect(plan).not.toMatch(/Nested Loop|Gather|Seq Scan on deliveries|SubPlan/);
  },
);

test('of given users, messages are read by user, no more than decide the count', async () => {
  const plan = await planOf(WRITTEN_TO, 'given');

  expect(deliveryIndexesOf(plan)).toEqual(new Set(['deliveries_by_user']));
  expect(plan).toMatch(/Limit\n/);
  // Partitions of months to come are empty: they are read whole.
  expect(plan).not.toMatch(/Seq Scan on events_before|Hash Join|Merge Join/);
});

test.each([
  ['a count', VIEWED],
  ['two leaves', BOTH],
  ['a sum', PAID],
  ['what follows', FOLLOWED],
])(
  'of questions, %s reads events by definition, once, without a loop over users',
  async (_what, condition) => {
    const plan = await planOf(condition, 'all');

    expect(await indexesOf(plan)).toEqual(new Set(['events_by_definition']));
    // Partitions of the future are empty: those may be scanned.
    expect(plan).not.toMatch(/Nested Loop|Gather|Seq Scan on events_before|SubPlan/);
  },
);

test.each([
  ['a count', VIEWED],
  ['two leaves', BOTH],
  ['a sum', PAID],
])(
  'of given users, %s reads their events of the definition in the index alone',
  async (_what, condition) => {
    const plan = await planOf(condition, 'given');

    expect(await indexesOf(plan)).toEqual(new Set(['events_by_user_and_definition']));
    expect(plan).not.toMatch(/Seq Scan|Hash Join|Merge Join|Index Scan using \S+ on events/);
  },
);

test('of given users, a count reads no more events than decide it', async () => {
  expect(await planOf(VIEWED, 'given')).toMatch(
    /Limit\n\s+->\s+(Append|Merge Append|Index Only Scan)/,
  );
});

test('of given users, what follows reads events by a key', async () => {
  expect(await planOf(FOLLOWED, 'given')).not.toMatch(/Seq Scan|Hash Join|Merge Join/);
});

/** The plan of what a function asks. */
async function planOfQuestion(ask: (sql: Sql) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const query = async (text: string, values: unknown[]) => {
    const { rows } = await db.sql.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) ${text}`,
      values,
    );
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    return { rows: [] };
  };
  await ask({ query } as unknown as Sql);
  return plans.join('\n');
}

test('before the first statistics, the next event of each of many people is read by person and definition', async () => {
  const { rows } = await db.sql.query<{ id: string }>('select id from users limit 250');
  const searches = rows.map(({ id }) => ({
    userId: id,
    after: { time: BigInt(now), receivedAt: now, messageId: '' },
    until: Number.MAX_SAFE_INTEGER,
  }));
  const plan = await planOfQuestion((sql) =>
    firstEventsAfter(sql, { context, now, named: { event: 'viewd' }, isProved: true, searches }),
  );

  expect(await indexesOf(plan)).toEqual(new Set(['events_by_user_and_definition']));
  // Partitions of months to come are empty: they are read whole.
  expect(plan).not.toMatch(/Seq Scan on events_before|Hash Join|Merge Join/);
});

test('before the first statistics, events are read by their keys', async () => {
  const keys = Array.from({ length: 250 }, () => ({
    requestId: crypto.randomUUID(),
    messageIndex: 0,
    receivedAt: now,
  }));
  const plan = await planOfQuestion((sql) =>
    selectEvents(sql, { context, now, named: { event: 'viewd' }, keys }),
  );

  expect(await indexesOf(plan)).toEqual(new Set(['events_pkey']));
  // Partitions of months to come are empty: they are read whole.
  expect(plan).not.toMatch(/Seq Scan on events_before|Hash Join|Merge Join/);
});
