import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { selectMemberships } from '@tidings/segments/members';
import type { LiveSegment } from './live-segments.ts';

const statement = statementsIn(import.meta.dirname);
const READ_MEMBERS = definePrepared(statement('read-known-members'));
const PUT_MEMBERS = definePrepared(statement('put-members'));
const READ_SINCE = definePrepared(statement('read-memberships'));

/** A person who has become a member, or is none any more. */
export type Transition = {
  readonly applicationId: string;
  readonly slug: string;
  readonly userId: string;
  readonly isMember: boolean;
  /**
   * Whether it is the person that changed: with time, or by what they did. Otherwise the segment asks
   * something else than before, which enters no one.
   */
  readonly isOfPerson: boolean;
};

type Moment = { readonly context: ConditionContext; readonly now: number };

/** What is known of a person. */
type Known = {
  readonly userId: string;
  readonly isScanned: boolean;
  readonly isMember: boolean | null;
  readonly isCurrent: boolean;
  readonly since: number | null;
  /** When time alone may have changed it. */
  readonly recheckAt: number | null;
};

/**
 * Asks whether some people are members now, and stores it with the instant at which they are to be
 * asked again. Whom a build has yet to look at is left to it. The shard of the people is locked.
 * @param isBuilding looks at them for the first time: what they are, they have not become
 * @param isDue their instants have come: they moved then
 * @callers automations
 */
export async function askPeople(
  sql: Sql,
  live: LiveSegment,
  {
    userIds,
    isBuilding = false,
    isDue = false,
    ...moment
  }: Moment & {
    readonly userIds: readonly string[];
    readonly isBuilding?: boolean;
    readonly isDue?: boolean;
  },
): Promise<Transition[]> {
  const known = await readKnown(sql, live, userIds);
  const asked = isBuilding ? known : known.filter(({ isScanned }) => isScanned);
  if (asked.length === 0) return [];
  const { applicationId, slug } = live;
  const found = new Map(
    (
      await selectMemberships(
        sql,
        { ...moment, condition: { segment: slug } },
        asked.map(({ userId }) => userId),
      )
    ).map((each) => [each.userId, each]),
  );
  const written = asked.map((before) => {
    // One who is not registered is no member, and becomes one by a change.
    const { isMember, recheckAt } = found.get(before.userId) ?? {
      isMember: false,
      recheckAt: null,
    };
    const wasMember = before.isMember ?? (isBuilding ? isMember : false);
    const isChanged = isMember !== wasMember;
    const since = isChanged
      ? // However late it is looked at.
        Math.min(moment.now, (isDue ? before.recheckAt : null) ?? Infinity)
      : // Who is looked at for the first time and is no member has not left it.
        (before.since ?? -Infinity);
    return { before, isMember, recheckAt, isChanged, since };
  });
  // Of most people a segment knows nothing that could change.
  const kept = written.filter(
    ({ before, isMember, recheckAt }) => isMember || recheckAt !== null || before.isMember !== null,
  );
  if (kept.length > 0)
    await sql.query(PUT_MEMBERS, [
      applicationId,
      slug,
      live.shard,
      live.buildId,
      kept.map(({ before }) => before.userId),
      kept.map(({ isMember }) => isMember),
      kept.map(({ since }) => since),
      kept.map(({ recheckAt }) => recheckAt),
    ]);
  return written.flatMap(({ before, isMember, isChanged }): Transition[] =>
    isChanged
      ? [
          {
            applicationId,
            slug,
            userId: before.userId,
            isMember,
            isOfPerson: !isBuilding && (before.isMember === null || before.isCurrent),
          },
        ]
      : [],
  );
}

/**
 * These people are asked again later: now they could not be. Whom a build has yet to look at is left to
 * it. @callers automations
 * @param isBuilding a build could not: what they turn out to be, they have not become
 */
export async function postponePeople(
  sql: Sql,
  { applicationId, slug, shard, buildId, builtUpTo, isBuilt }: LiveSegment,
  {
    userIds,
    until,
    isBuilding = false,
  }: {
    readonly userIds: readonly string[];
    readonly until: number;
    readonly isBuilding?: boolean;
  },
): Promise<void> {
  await sql.query(statement('postpone-people'), [
    applicationId,
    slug,
    shard,
    isBuilding ? null : buildId,
    userIds,
    until,
    builtUpTo,
    isBuilding || isBuilt,
  ]);
}

async function readKnown(
  sql: Sql,
  { applicationId, slug, buildId, builtUpTo, isBuilt }: LiveSegment,
  userIds: readonly string[],
): Promise<Known[]> {
  const { rows } = await sql.query<{
    user_id: string;
    is_scanned: boolean;
    is_member: boolean | null;
    is_current: boolean;
    since: number | null;
    recheck_at: number | null;
  }>(READ_MEMBERS, [applicationId, slug, [...new Set(userIds)], buildId, builtUpTo, isBuilt]);
  return rows.map((row) => ({
    userId: row.user_id,
    isScanned: row.is_scanned,
    isMember: row.is_member,
    isCurrent: row.is_current,
    since: row.since,
    recheckAt: row.recheck_at,
  }));
}

/** Whether people are members of a live segment, and since when: milliseconds, or before all. */
export async function readMemberships(
  sql: Sql,
  {
    applicationId,
    slug,
    userIds,
  }: { readonly applicationId: string; readonly slug: string; readonly userIds: readonly string[] },
): Promise<Map<string, { readonly isMember: boolean; readonly since: number }>> {
  const { rows } = await sql.query<{ user_id: string; is_member: boolean; since: number }>(
    READ_SINCE,
    [applicationId, slug, [...new Set(userIds)]],
  );
  return new Map(
    rows.map(({ user_id: userId, is_member: isMember, since }) => [userId, { isMember, since }]),
  );
}

/** Members since before an instant, of a shard, in the order of their ids. */
export async function listOldMembers(
  sql: Sql,
  { applicationId, slug, shard }: Pick<LiveSegment, 'applicationId' | 'slug' | 'shard'>,
  { before, after, limit }: { before: number; after: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql.query<{ user_id: string }>(statement('list-old-members'), [
    applicationId,
    slug,
    shard,
    before,
    after,
    limit,
  ]);
  return rows.map(({ user_id: userId }) => userId);
}
