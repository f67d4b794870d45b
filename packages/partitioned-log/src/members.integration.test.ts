import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { connectTestDatabase } from '@tidings/testing';
import {
  claimLeases,
  commitOffset,
  joinGroup,
  renewMember,
  type Member,
  type PartitionLease,
} from './members.ts';
import { readCommittedOffsets } from './offsets.ts';
import { ensureTopics, readTopic } from './topics.ts';

const LEASE_MS = 10_000;
const db = connectTestDatabase();
afterAll(() => db.close());

async function createMember(): Promise<Member & { readonly topic: string }> {
  const topic = `members-${randomUUID()}`;
  const spec = { topic, partitions: 1, retentionMs: 3_600_000, recordBytesMax: 1e6 };
  await ensureTopics(db, [spec]);
  const { topicId } = (await readTopic(db.sql, topic)) ?? { topicId: 0 };
  return { group: randomUUID(), member: randomUUID(), topicIds: [topicId], topic };
}

async function joinAndClaim(member: Member): Promise<PartitionLease> {
  const generation = await joinGroup(db, member, LEASE_MS);
  const [lease] =
    (await claimLeases(db, member, {
      shares: member.topicIds.map((topicId) => ({ topicId, part: 0 })),
      generation,
      rebalanceTimeoutMs: 60_000,
    })) ?? [];
  if (lease === undefined) throw new Error('the partition was not claimed');
  return lease;
}

test('what a crash of Postgres took from the members is no right to commit', async () => {
  const member = await createMember();
  const old = await joinAndClaim(member);
  expect(await commitOffset(db.sql, member, { ...old, next: 1n })).toBe(true);

  // An unlogged table is empty after a crash.
  await db.sql.query('delete from log_members where grp = $1', [member.group]);
  expect(await commitOffset(db.sql, member, { ...old, next: 2n })).toBe(false);
  expect(await renewMember(db.sql, member, LEASE_MS)).toMatchObject({ isMember: false });

  await joinGroup(db, member, LEASE_MS);
  expect(await commitOffset(db.sql, member, { ...old, next: 3n })).toBe(false);

  const next = await joinAndClaim(member);
  expect(next.fence).toBeGreaterThan(old.fence);
  expect(await commitOffset(db.sql, member, { ...old, next: 4n })).toBe(false);
  expect(await commitOffset(db.sql, member, { ...next, next: 5n })).toBe(true);
  expect(await readCommittedOffsets(db.sql, member.group, member.topic)).toEqual(
    new Map([[0, 5n]]),
  );
});

test('a member that joins again in time keeps its leases', async () => {
  const member = await createMember();
  const lease = await joinAndClaim(member);

  await joinGroup(db, member, LEASE_MS);

  expect(await commitOffset(db.sql, member, { ...lease, next: 1n })).toBe(true);
});

test('members are forgotten in a crash, groups and leases are not', async () => {
  const { rows } = await db.sql.query<{ table: string; isKept: boolean }>(
    `select relname as "table", relpersistence = 'p' as "isKept"
    from pg_class
    where relname in ('log_members', 'log_groups', 'log_leases')
    order by relname`,
  );

  expect(rows).toEqual([
    { table: 'log_groups', isKept: true },
    { table: 'log_leases', isKept: true },
    { table: 'log_members', isKept: false },
  ]);
});
