import { afterAll, expect, test } from '@jest/globals';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { SHARDS, shardOf } from '@tidings/user-changes/changes';
import { nextPeople, noteBuilt, readOpenBuild } from './builds.ts';
import { deleteOldMembers, forgetMembers } from './forget-members.ts';
import { readLiveSegments, readShardsToAsk, setLiveSegments } from './live-segments.ts';
import { askPeople, listOldMembers, postponePeople, readMemberships } from './memberships.ts';
import { forgetRechecks, readDueMembers } from './rechecks.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

test('people are built, move with a change, are postponed, and are forgotten', async () => {
  const { sql } = db;
  const { applicationId } = await createTestApplication(db);
  const { rows } = await sql.query<{ id: string }>(
    `insert into users (id, application_id, custom_user_id, registered_at, custom_attributes)
     values (uuidv7(), $1, 'ada', now(), '{"plan": "pro"}') returning id`,
    [applicationId],
  );
  const userId = rows[0]?.id ?? '';
  const shard = shardOf(userId);
  const context: ConditionContext = {
    applicationId,
    definitions: [],
    segments: new Map([['vip', { attribute: 'plan', is: 'pro' }]]),
    funnels: new Map(),
    eventRetentionDays: null,
    deliveryRetentionDays: null,
  };
  await setLiveSegments(sql, context, ['vip']);
  const read = async () =>
    (await readLiveSegments(sql, { applicationIds: [applicationId], shard }))[0];
  const unbuilt = await read();
  if (unbuilt === undefined) throw new Error('not live');
  const now = Date.now();
  const userIds = [userId];

  expect(await readShardsToAsk(sql)).toHaveLength(SHARDS);
  expect(await askPeople(sql, unbuilt, { context, now, userIds })).toEqual([]);
  const which = { applicationId, slug: 'vip', userIds };
  // A build has yet to look at them.
  await postponePeople(sql, unbuilt, { userIds, until: now });
  expect((await readMemberships(sql, which)).size).toBe(0);
  await sql.query(`update live_segments set created_at = '2000-01-01' where application_id = $1`, [
    applicationId,
  ]);
  const build = await readOpenBuild(sql, shard);
  if (build === null) throw new Error('no build');
  expect(await nextPeople(sql, build, { shard })).toEqual({ userIds, upTo: null });
  expect(await askPeople(sql, unbuilt, { context, now, userIds, isBuilding: true })).toEqual([]);
  await noteBuilt(sql, build, { shard, upTo: null });
  const live = await read();
  if (live?.isBuilt !== true) throw new Error('not built');
  expect(await listOldMembers(sql, live, { before: now, after: null, limit: 10 })).toEqual(userIds);

  await sql.query(`update users set custom_attributes = '{}' where id = $1`, [userId]);
  expect(await askPeople(sql, live, { context, now, userIds })).toEqual([
    { applicationId, slug: 'vip', userId, isMember: false, isOfPerson: true },
  ]);
  expect((await readMemberships(sql, which)).get(userId)).toEqual({ isMember: false, since: now });

  await postponePeople(sql, live, { userIds, until: now + 1_000 });
  const due = (at: number) => readDueMembers(sql, { shard, limit: 1_000, now: at });
  expect(await due(now)).toEqual([]);
  expect(await due(now + 1_000)).toEqual([{ applicationId, slug: 'vip', userId }]);
  await forgetRechecks(sql, await due(now + 1_000), now + 1_000);
  expect(await due(now + 1_000)).toEqual([]);

  // They become one again, which is looked at late: they moved when it was due.
  await postponePeople(sql, live, { userIds, until: now + 2_000 });
  await sql.query(`update users set custom_attributes = '{"plan": "pro"}' where id = $1`, [userId]);
  const late = { context, now: now + 9_000, userIds, isDue: true };
  expect(await askPeople(sql, live, late)).toMatchObject([{ isMember: true, isOfPerson: true }]);
  expect((await readMemberships(sql, which)).get(userId)?.since).toBe(now + 2_000);

  // One whom a build could not ask has not become what they turn out to be.
  await sql.query('delete from segment_members where user_id = $1', [userId]);
  await postponePeople(sql, unbuilt, { userIds, until: now, isBuilding: true });
  expect(await askPeople(sql, live, { ...late, now })).toMatchObject([
    { isMember: true, isOfPerson: false },
  ]);

  await setLiveSegments(sql, context, []);
  expect(await deleteOldMembers(sql, 10)).toBe(1);
  await forgetMembers(sql, userIds);
  expect((await readMemberships(sql, which)).size).toBe(0);
});

test('how far a build is names no one who is deleted, and no one once it is through', async () => {
  const { sql } = db;
  const { applicationId } = await createTestApplication(db);
  const { rows: people } = await sql.query<{ id: string }>(
    `insert into users (id, application_id, custom_user_id, registered_at)
     select uuidv7(), $1, x.name, now()
     from unnest(array['ada', 'bob', 'cleo']) with ordinality x(name, place)
     order by x.place returning id`,
    [applicationId],
  );
  const [ada, bob, cleo] = people.map(({ id }) => id);
  await setLiveSegments(
    sql,
    {
      applicationId,
      definitions: [],
      segments: new Map([['vip', { attribute: 'plan', is: 'pro' }]]),
      funnels: new Map(),
      eventRetentionDays: null,
      deliveryRetentionDays: null,
    },
    ['vip'],
  );
  const live = async () =>
    (await readLiveSegments(sql, { applicationIds: [applicationId], shard: 0 }))[0];
  const { buildId = '' } = (await live()) ?? {};
  const build = { applicationId, slug: 'vip', buildId, builtUpTo: null };
  const upToAfter = async (...ids: readonly (string | undefined)[]) => {
    await noteBuilt(sql, build, { shard: 0, upTo: 'cleo' });
    await forgetMembers(
      sql,
      ids.flatMap((id) => id ?? []),
    );
    return (await live())?.builtUpTo;
  };

  expect(await upToAfter(ada)).toBe('cleo');
  expect(await upToAfter(cleo)).toBe('bob');
  expect(await upToAfter(cleo, bob)).toBe('ada');
  expect(await upToAfter(ada, bob, cleo)).toBeNull();
  await noteBuilt(sql, build, { shard: 0, upTo: 'cleo' });
  await noteBuilt(sql, build, { shard: 0, upTo: null });
  expect(await live()).toMatchObject({ builtUpTo: null, isBuilt: true });
});
