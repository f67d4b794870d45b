import { afterAll, expect, test } from '@jest/globals';
import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { createOwnDatabase, createTestApplication } from '@tidings/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { noteBuilt, readOpenBuild } from './builds.ts';
import { setLiveSegments } from './live-segments.ts';
import { readDueMembers } from './rechecks.ts';

// A separate database: builds and rechecks of a shard are those of all applications.
const db = await createOwnDatabase();
afterAll(() => db.close());

const SHARD = 3;

async function live(sql: Sql, ...slugs: readonly string[]): Promise<string> {
  const { applicationId } = await createTestApplication(db);
  const context: ConditionContext = {
    applicationId,
    definitions: [],
    segments: new Map(slugs.map((slug) => [slug, { attribute: 'plan', is: slug }])),
    funnels: new Map(),
    eventRetentionDays: null,
    deliveryRetentionDays: null,
  };
  await setLiveSegments(sql, context, slugs);
  return applicationId;
}

const openBuild = () => db.transaction((sql) => readOpenBuild(sql, SHARD));

/** Begins a transaction, and commits it when it is released. */
async function begin(work: (sql: Sql) => Promise<unknown>) {
  const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const ended = db.transaction(async (sql) => {
    await work(sql);
    done();
    await released;
  });
  await isDone;
  return async () => {
    release();
    await ended;
  };
}

test('a build waits for a transaction that began while its segment became live', async () => {
  const activate = await begin((sql) => live(sql, 'vip'));
  // It has read what is listened to, and announces nothing.
  const store = await begin((sql) => sql.query('select pg_current_xact_id()'));
  await activate();
  for (let look = 0; look < 3; look += 1) expect(await openBuild()).toBeNull();
  await store();
  // Older transactions of other databases count too.
  let build = await openBuild();
  for (let tries = 0; tries < 500 && build === null; tries += 1) {
    await sleep(20);
    build = await openBuild();
  }

  expect(build).toMatchObject({ slug: 'vip', builtUpTo: null });
  await db.sql.query('delete from live_segment_builds');
});

test('the builds of one application do not wait for those of another', async () => {
  const many = await live(db.sql, 'a', 'b', 'c');
  const one = await live(db.sql, 'd');
  await db.sql.query(`update live_segments set created_at = created_at - interval '2 hours'`);
  const turns: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const build = await openBuild();
    if (build === null) throw new Error('no build is open');
    turns.push(build.applicationId === many ? build.slug : 'other');
    await noteBuilt(db.sql, build, { shard: SHARD, upTo: `ada${turn}` });
  }

  expect(turns).toEqual(['a', 'other', 'b', 'other', 'c', 'other']);
  expect(one).not.toBe(many);
});

test('who is due of one application does not wait for those of another', async () => {
  const [many, one] = [await live(db.sql, 'a'), await live(db.sql, 'd')];
  const due = (applicationId: string, people: number, minutesAgo: number) =>
    db.sql.query(
      `insert into segment_members (
         application_id, slug, shard, build_id, user_id, is_member, since, recheck_at
       )
       select $1, 'a', $2::int, uuidv7(), gen_random_uuid(), true, now(),
         now() - $4::int * interval '1 minute'
       from generate_series(1, $3::int)`,
      [applicationId, SHARD, people, minutesAgo],
    );
  await due(many, 1_000, 60);
  await due(one, 3, 1);
  const read = async (limit: number) => {
    const found = await readDueMembers(db.sql, { shard: SHARD, limit, now: Date.now() });
    return Object.groupBy(found, ({ applicationId }) => applicationId);
  };

  const some = await read(500);
  expect(some[one]).toHaveLength(3);
  expect(some[many]).toHaveLength(250);
  expect((await read(4))[one]).toHaveLength(2);
  await db.sql.query('delete from segment_members where application_id = $1', [one]);
  // Alone it has all of the step.
  expect((await read(500))[many]).toHaveLength(500);
});
