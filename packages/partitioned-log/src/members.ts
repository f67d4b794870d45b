import { definePrepared } from '@tidings/postgres/define-prepared';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { MemberTopics, Share } from './shares.ts';

const statement = statementsIn(import.meta.dirname);
const RENEW = definePrepared(statement('renew-member'));
const COMMIT = definePrepared(statement('commit-offset'));

/** A member of a consumer group. */
export type Member = {
  readonly group: string;
  /** A UUID. */
  readonly member: string;
  readonly topicIds: readonly number[];
};

/** The right of a member to read a partition and to commit. */
export type PartitionLease = Share & {
  /** Grows with each owner; commits of an earlier one are refused. */
  readonly fence: bigint;
  /** The next offset to read; null: the first that is kept. */
  readonly committed: bigint | null;
};

export type Renewal = {
  /** Changes with the members of the group. */
  readonly generation: bigint;
  /** False: this member was taken for dead. */
  readonly isMember: boolean;
  /** Whether another member has not been heard of for its lease. */
  readonly isAnyDead: boolean;
  /** The partitions that this member has. */
  readonly leases: number;
};

/** Renews a membership; all times are of Postgres' clock. @callers bus */
export async function renewMember(
  sql: Sql,
  { group, member }: Pick<Member, 'group' | 'member'>,
  leaseMs: number,
): Promise<Renewal> {
  const { rows } = await sql.query<Omit<Renewal, 'generation'> & { generation: string }>(RENEW, [
    group,
    member,
    leaseMs,
  ]);
  const [row] = rows;
  if (row === undefined) return { generation: 0n, isMember: false, isAnyDead: false, leases: 0 };
  return { ...row, generation: BigInt(row.generation) };
}

/**
 * Joins a group and removes its dead members. Returns the new generation. Rows of the leases are
 * created with the first member that reads a topic. A member that was removed, or was lost in a
 * crash of Postgres, has no leases any more. @callers bus
 */
export function joinGroup(
  db: Database,
  { group, member, topicIds }: Member,
  leaseMs: number,
): Promise<bigint> {
  return db.transaction(async (sql) => {
    await sql.query(statement('create-group'), [group]);
    await lockGroup(sql, group);
    await sql.query(statement('create-leases'), [group, topicIds]);
    await sql.query(statement('remove-dead-members'), [group, member]);
    await sql.query(statement('give-back-old-leases'), [group, member]);
    await sql.query(statement('put-member'), [group, member, topicIds, leaseMs]);
    return advanceGroup(sql, group);
  });
}

/** Leaves a group and gives its leases back. @callers bus */
export function leaveGroup(
  db: Database,
  { group, member }: Pick<Member, 'group' | 'member'>,
): Promise<void> {
  return db.transaction(async (sql) => {
    await lockGroup(sql, group);
    await sql.query(statement('give-back-leases'), [group, member]);
    await sql.query(statement('remove-member'), [group, member]);
    await advanceGroup(sql, group);
  });
}

/** The members of a group, and the generation that they are. @callers bus */
export async function readMembers(
  sql: Sql,
  group: string,
): Promise<{ readonly generation: bigint; readonly members: readonly MemberTopics[] }> {
  const { rows } = await sql.query<{
    generation: string;
    member: string | null;
    topicIds: number[] | null;
  }>(statement('read-members'), [group]);
  return {
    generation: BigInt(rows[0]?.generation ?? 0),
    members: rows.flatMap(({ member, topicIds }) =>
      member === null || topicIds === null ? [] : [{ member, topicIds }],
    ),
  };
}

/** Gives all leases of a member back; others may claim them. @callers bus */
export async function giveBackLeases(
  sql: Sql,
  { group, member }: Pick<Member, 'group' | 'member'>,
): Promise<void> {
  await sql.query(statement('give-back-leases'), [group, member]);
}

/**
 * Claims those of the shares that are free, or whose owner is gone or exceeds the rebalance timeout.
 * Returns the claimed leases; undefined if the group has another generation by now. @callers bus
 */
export function claimLeases(
  db: Database,
  { group, member }: Pick<Member, 'group' | 'member'>,
  {
    shares,
    generation,
    rebalanceTimeoutMs,
  }: {
    readonly shares: readonly Share[];
    readonly generation: bigint;
    readonly rebalanceTimeoutMs: number;
  },
): Promise<PartitionLease[] | undefined> {
  return db.transaction(async (sql) => {
    if ((await lockGroup(sql, group)) !== generation) return undefined;
    const { rows } = await sql.query<{
      topicId: number;
      part: number;
      fence: string;
      committed: string | null;
    }>(statement('claim-leases'), [
      group,
      member,
      shares.map(({ topicId }) => topicId),
      shares.map(({ part }) => part),
      rebalanceTimeoutMs,
    ]);
    return rows.map(({ fence, committed, ...share }) => ({
      ...share,
      fence: BigInt(fence),
      committed: committed === null ? null : BigInt(committed),
    }));
  });
}

/**
 * Commits that everything before `next` is done. An offset never goes back. After a crash of
 * Postgres the last commits may be missing: these records are read again. Returns false if the lease
 * or the membership was lost. @callers bus
 */
export async function commitOffset(
  sql: Sql,
  { group, member }: Pick<Member, 'group' | 'member'>,
  {
    topicId,
    part,
    fence,
    next,
  }: Pick<PartitionLease, 'topicId' | 'part' | 'fence'> & { readonly next: bigint },
): Promise<boolean> {
  const { rowCount } = await sql.query(COMMIT, [
    group,
    topicId,
    part,
    member,
    String(fence),
    String(next),
  ]);
  return rowCount === 1;
}

/** Everything but a renewal and a commit changes a group under this lock. */
async function lockGroup(sql: Sql, group: string): Promise<bigint> {
  const { rows } = await sql.query<{ generation: string }>(statement('lock-group'), [group]);
  return BigInt(rows[0]?.generation ?? 0);
}

async function advanceGroup(sql: Sql, group: string): Promise<bigint> {
  const { rows } = await sql.query<{ generation: string; notified: string }>(
    statement('advance-group'),
    [group],
  );
  return BigInt(rows[0]?.generation ?? 0);
}
