import { askPeople, postponePeople, type Transition } from '@tidings/live-segments/memberships';
import { nextPeople, noteBuilt, readOpenBuild } from '@tidings/live-segments/builds';
import {
  fingerprintOf,
  readLiveSegments,
  type LiveSegment,
} from '@tidings/live-segments/live-segments';
import {
  forgetRechecks,
  readDueMembers,
  RECHECKS_OF_APPLICATION,
} from '@tidings/live-segments/rechecks';
import { systemClock } from '@tidings/platform';
import { isTransactionConflict, type Sql } from '@tidings/postgres/database';
import { hearsOf } from '@tidings/segments/live-conditions';
import type { UserChange } from '@tidings/user-changes/changes';
import type { Stepping } from './advance.ts';
import { readEnterable } from './decide.ts';
import type { Arrival } from './enter-people.ts';
import { relisten } from './relisten.ts';
import { segmentShares } from './shares.ts';

/** People of one statement. */
const PEOPLE_AT_ONCE = 1_000;
/** Who is asked again in one step. */
const RECHECKS_OF_STEP = 500;
/** For how long a segment waits whose condition fails or takes too long. */
const PUT_OFF_MS = 60_000;

/** A change of a registered person. */
export type ChangedPerson = { readonly applicationId: string; readonly change: UserChange };

type InShard = Stepping & { readonly shard: number };

/** Those whom changes made members of live segments, or none any more: only they are asked. */
export async function askChanged(
  stepping: InShard,
  changed: readonly ChangedPerson[],
): Promise<readonly Transition[]> {
  const { sql, contextOf, shard } = stepping;
  const applicationIds = [...new Set(changed.map(({ applicationId }) => applicationId))];
  const all = await readLiveSegments(sql, { applicationIds, shard });
  const asks: Ask[] = [];
  for (const live of await current(stepping, all)) {
    const context = await contextOf(live.applicationId);
    const hears = hearsOf({ segment: live.slug }, context);
    const isHeard = ({ applicationId, change }: ChangedPerson): boolean => {
      if (applicationId !== live.applicationId) return false;
      if (change.kind === 'profile') return hears.profile;
      if (change.kind === 'event') return hears.slugs.includes(change.slug);
      if (change.kind === 'outcome')
        return hears.campaigns.some(([id]) => id === change.campaignId);
      return change.kind === 'registered' || change.kind === 'merged';
    };
    const userIds = new Set(changed.filter(isHeard).map(({ change }) => change.userId));
    if (userIds.size > 0) asks.push(askOf(live, [...userIds]));
  }
  const { moved, left } = await askAll(stepping, asks);
  // They are due at once: applications have turns there.
  for (const { live, userIds } of left)
    await postponePeople(sql, live, { userIds, until: stepping.now });
  return moved;
}

/** Those whom time alone made members, or none any more: only they are asked whose instant has come. */
export async function askDue(stepping: InShard): Promise<{
  readonly asked: number;
  readonly hasMore: boolean;
  readonly moved: readonly Transition[];
}> {
  const { sql, shard, now } = stepping;
  const due = await readDueMembers(sql, { shard, limit: RECHECKS_OF_STEP, now });
  const applicationIds = [...new Set(due.map(({ applicationId }) => applicationId))];
  const all = await readLiveSegments(sql, { applicationIds, shard });
  const bySegment = Map.groupBy(due, keyOf);
  const asks = (await current(stepping, all)).flatMap((live) => {
    const own = bySegment.get(keyOf(live)) ?? [];
    return own.length === 0
      ? []
      : [
          askOf(
            live,
            own.map(({ userId }) => userId),
          ),
        ];
  });
  const { moved, left } = await askAll(stepping, asks, { isDue: true });
  const stillDue = new Set(left.map(({ automationId }) => automationId));
  const done = due.filter((each) => !stillDue.has(keyOf(each)));
  await forgetRechecks(sql, done, now);
  return {
    asked: done.length,
    // An application may have had more than its share.
    hasMore: left.length > 0 || due.length >= RECHECKS_OF_APPLICATION,
    moved,
  };
}

/** People of a live segment to be asked. */
type Ask = {
  /** What the time is noted of: a segment in place of an automation. */
  readonly automationId: string;
  readonly applicationId: string;
  readonly live: LiveSegment;
  readonly userIds: readonly string[];
};

const keyOf = ({
  applicationId,
  slug,
}: {
  readonly applicationId: string;
  readonly slug: string;
}) => `${applicationId} ${slug}`;

const askOf = (live: LiveSegment, userIds: readonly string[]): Ask => ({
  automationId: keyOf(live),
  applicationId: live.applicationId,
  live,
  userIds,
});

/** Asks what there is time for: what one application costs, others of the step do not wait for. */
async function askAll(
  stepping: InShard,
  asks: readonly Ask[],
  { isDue = false }: { readonly isDue?: boolean } = {},
): Promise<{ readonly moved: readonly Transition[]; readonly left: readonly Ask[] }> {
  const chosen = new Set(segmentShares.choose(asks));
  const moved: Transition[] = [];
  for (const { automationId, live, userIds } of chosen) {
    const began = systemClock.monotonicMs();
    moved.push(...(await ask(stepping, live, { userIds, isDue })));
    segmentShares.note(automationId, systemClock.monotonicMs() - began);
  }
  return { moved, left: asks.filter((each) => !chosen.has(each)) };
}

/** Looks at the next people for whom a segment has just become live. Null: no build is open. */
export async function buildSome(stepping: InShard): Promise<readonly Transition[] | null> {
  const { sql, shard } = stepping;
  const build = await readOpenBuild(sql, shard);
  if (build === null) return null;
  const all = await readLiveSegments(sql, { applicationIds: [build.applicationId], shard });
  const live = (await current(stepping, all)).find(({ slug }) => slug === build.slug);
  if (live?.buildId !== build.buildId) return [];
  const { userIds, upTo } = await nextPeople(sql, build, { shard });
  const moved: Transition[] = [];
  for (let from = 0; from < userIds.length; from += PEOPLE_AT_ONCE)
    moved.push(
      ...(await ask(stepping, live, {
        userIds: userIds.slice(from, from + PEOPLE_AT_ONCE),
        isBuilding: true,
      })),
    );
  await noteBuilt(sql, build, { shard, upTo });
  return moved;
}

/** Without those that ask something else by now: they are built anew. */
async function current(
  { sql, contextOf }: Stepping,
  all: readonly LiveSegment[],
): Promise<LiveSegment[]> {
  const fresh: LiveSegment[] = [];
  for (const [applicationId, own] of Map.groupBy(all, (live) => live.applicationId)) {
    const context = await contextOf(applicationId);
    const same = own.filter(
      ({ slug, fingerprint }) => fingerprintOf(context, slug) === fingerprint,
    );
    if (same.length < own.length) await relisten(sql, applicationId);
    fresh.push(...same);
  }
  return fresh;
}

/** A segment that fails does not keep the shard: its people are asked later. */
async function ask(
  { sql, now, contextOf, onSegmentFailure }: Stepping,
  live: LiveSegment,
  {
    userIds,
    isBuilding = false,
    isDue = false,
  }: {
    readonly userIds: readonly string[];
    readonly isBuilding?: boolean;
    readonly isDue?: boolean;
  },
): Promise<readonly Transition[]> {
  if (userIds.length === 0) return [];
  const context = await contextOf(live.applicationId);
  await sql.query('savepoint segment');
  try {
    const moved = await askPeople(sql, live, { context, now, userIds, isBuilding, isDue });
    await sql.query('release savepoint segment');
    return moved;
  } catch (error) {
    await sql.query('rollback to savepoint segment');
    if (isTransactionConflict(error)) throw error;
    onSegmentFailure(error, live.slug);
    await postponePeople(sql, live, { userIds, until: now + PUT_OFF_MS, isBuilding });
    return [];
  }
}

/** Whom these moves enter. */
export async function arrivalsOf(
  sql: Sql,
  transitions: readonly Transition[],
  now: number,
): Promise<Arrival[]> {
  const moved = transitions.filter(({ isOfPerson }) => isOfPerson);
  if (moved.length === 0) return [];
  const applicationIds = [...new Set(moved.map(({ applicationId }) => applicationId))];
  const arrivals: Arrival[] = [];
  for (const { id: automationId, applicationId, trigger } of await readEnterable(
    sql,
    applicationIds,
  )) {
    if (!('when' in trigger)) continue;
    for (const each of moved)
      if (
        each.applicationId === applicationId &&
        each.slug === trigger.segment &&
        each.isMember === (trigger.when === 'enters')
      )
        arrivals.push({
          applicationId,
          automationId,
          userId: each.userId,
          kind: 'segment',
          at: now,
        });
  }
  return arrivals;
}
