import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import type { DueChunk } from '@tidings/delivery/chunks';
import { lockCursor, moveCursor } from '@tidings/partitioned-log/cursors';
import { systemClock } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { readNow } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import { appendChanges, readChanges, type UserChange } from '@tidings/user-changes/changes';
import { PROFILE } from '@tidings/user-changes/listens';
import { advance, makeDue, type Stepping } from './advance.ts';
import { enterByDates, lookAtDates, type DatedPerson } from './dates.ts';
import { enter, type Candidate } from './enter.ts';
import { enterPeople, type Arrival } from './enter-people.ts';
import { lookBack, type Newcomer } from './look-back.ts';
import { readDueRuns, readRuns, RUNS_OF_APPLICATION, RUNS_OF_STEP } from './runs-due.ts';
import { nextExisting } from './enter-existing.ts';
import { arrivalsOf, askChanged, askDue, buildSome, type ChangedPerson } from './segment-moves.ts';
import { inTurns, shares } from './shares.ts';
import { ofAnyone, ofSegment, OUTCOME } from './to-step.ts';

const statement = statementsIn(import.meta.dirname);
const READ_PEOPLE = definePrepared(statement('read-changed-people'));
const WAKE = definePrepared(statement('wake'));

/** One shard of the people, and the topic of their changes. */
export type Shard = { readonly topicId: number; readonly shard: number };

/** What becomes of a step, for metrics and logs. */
export type StepObserver = Pick<
  Stepping,
  'onFailure' | 'onEntryFailure' | 'onPutOff' | 'onSegmentFailure'
> & {
  /** A change of another version, or a damaged one: it is passed. */
  onUnreadable(count: number): void;
};

export type ShardStep = {
  /** Changes read, or runs taken on. */
  readonly handled: number;
  /** Whether there may be more at once. */
  readonly hasMore: boolean;
  /** People who were asked again whether they are in a segment, and of how many the answer changed. */
  readonly rechecks?: { readonly asked: number; readonly changed: number };
  /** To be dispatched: the transaction has committed. */
  readonly chunks: readonly DueChunk[];
};

/**
 * Handles the next changes of the people of a shard, in one transaction with the cursor. Null: another
 * engine has the shard.
 */
export function handleChanges(
  db: Database,
  shard: Shard,
  observer: StepObserver,
): Promise<ShardStep | null> {
  return inShard({ db, shard, observer }, async (stepping, { from, cursor }) => {
    const { sql } = stepping;
    const { topicId, shard: part } = shard;
    const max = shares.changes;
    const began = systemClock.monotonicMs();
    const { changes, next } = await readChanges(sql, {
      topicId,
      shard: part,
      from,
      max,
    });
    if (changes.length === 0) return NOTHING;
    const known = changes.flatMap(({ change }) => change ?? []);
    if (known.length < changes.length) observer.onUnreadable(changes.length - known.length);
    const { candidates, newcomers, arrivals, dated, changed, moved } = await readAbout(sql, known);
    const entered = await enter(stepping, [
      ...candidates,
      ...(newcomers.length === 0 ? [] : await lookBack(stepping, newcomers)),
    ]);
    const transitions = await askChanged({ ...stepping, shard: part }, changed);
    await wake(sql, [...hintsOf(known), ...transitions.map(toHint)]);
    const chunks = await beginAll(stepping, [
      ...entered,
      ...(await enterPeople(stepping, [
        ...arrivals,
        ...(await arrivalsOf(sql, transitions, stepping.now)),
      ])),
      ...(await lookAtDates(stepping, dated)),
    ]);
    await moveCursor(sql, cursor, next);
    // The last statement: other appends to these shards wait for the commit.
    await appendChanges(sql, moved);
    shares.noteChanges(changes.length, systemClock.monotonicMs() - began);
    return { handled: changes.length, hasMore: changes.length >= max, chunks };
  });
}

/** Takes the runs of a shard on that are due. Null: another engine has the shard. */
export function handleTimers(
  db: Database,
  shard: Shard,
  observer: StepObserver,
): Promise<ShardStep | null> {
  return inShard({ db, shard, observer }, async (stepping) => {
    const { runIds, hasMore } = await enterByDates(stepping, shard.shard);
    await makeDue(stepping, await readRuns(stepping.sql, runIds));
    const due = await readDueRuns(stepping.sql, shard.shard);
    const runs = shares.choose(due);
    const chunks = await advance(stepping, runs);
    return {
      handled: runs.length,
      // Fewer are all that were due: an application may have had more than its share.
      hasMore: hasMore || runs.length < due.length || due.length >= RUNS_OF_APPLICATION,
      chunks,
    };
  });
}

/**
 * Asks the people of a shard whom time alone may have made members of a live segment, or none, and
 * those of a segment that has just become live. Null: another engine has the shard.
 */
export function handleSegments(
  db: Database,
  shard: Shard,
  observer: StepObserver,
): Promise<ShardStep | null> {
  return inShard({ db, shard, observer }, async (stepping) => {
    const { sql, now } = stepping;
    const inOne = { ...stepping, shard: shard.shard };
    const { asked, hasMore, moved } = await askDue(inOne);
    const built = await buildSome(inOne);
    const existing = await nextExisting(stepping, shard.shard);
    const transitions = [...moved, ...(built ?? [])];
    await wake(sql, transitions.map(toHint));
    const chunks = await beginAll(
      stepping,
      await enterPeople(stepping, [
        ...(await arrivalsOf(sql, transitions, now)),
        ...(existing ?? []),
      ]),
    );
    return {
      handled: asked,
      hasMore: hasMore || built !== null || existing !== null,
      chunks,
      rechecks: { asked, changed: moved.length },
    };
  });
}

/** New runs go their first steps. The rest is due at once: applications have turns there. */
async function beginAll(stepping: Stepping, runIds: readonly string[]): Promise<DueChunk[]> {
  const runs = inTurns(await readRuns(stepping.sql, runIds));
  const chosen = new Set(shares.choose(runs.slice(0, RUNS_OF_STEP)));
  await makeDue(
    stepping,
    runs.filter((run) => !chosen.has(run)),
  );
  return advance(stepping, [...chosen]);
}

/** What one automation asks, others of the shard wait for; so they do for an engine that is frozen. */
const STEP_OPTIONS = { isKeyed: true, statementTimeoutMs: 5_000, idleTimeoutMs: 10_000 };

const NOTHING: ShardStep = { handled: 0, hasMore: false, chunks: [] };

type Cursor = Parameters<typeof lockCursor>[1];

/** A transaction that has the people of a shard for itself. */
function inShard(
  {
    db,
    shard: { topicId, shard },
    observer,
  }: { readonly db: Database; readonly shard: Shard; readonly observer: StepObserver },
  work: (
    stepping: Stepping,
    read: { readonly from: bigint; readonly cursor: Cursor },
  ) => Promise<ShardStep>,
): Promise<ShardStep | null> {
  const cursor = { group: AUTOMATIONS_GROUP, topicId, part: shard };
  return db.transaction(async (sql) => {
    const from = await lockCursor(sql, cursor);
    if (from === undefined) return null;
    const contexts = new Map<string, Promise<ConditionContext>>();
    const contextOf = (applicationId: string): Promise<ConditionContext> => {
      const known = contexts.get(applicationId) ?? readConditionContext(sql, applicationId);
      contexts.set(applicationId, known);
      return known;
    };
    const stepping = { sql, now: await readNow(sql), contextOf, ...observer };
    return work(stepping, { from, cursor });
  }, STEP_OPTIONS);
}

type About = {
  readonly candidates: readonly Candidate[];
  readonly newcomers: readonly Newcomer[];
  /** People whom no event enters. */
  readonly arrivals: readonly Arrival[];
  /** People whose dates may be others. */
  readonly dated: readonly DatedPerson[];
  /** What happened to registered people. */
  readonly changed: readonly ChangedPerson[];
  /** Changes of people whom another shard has by now. */
  readonly moved: readonly UserChange[];
};

/** What changes mean for the people that they name, as these are now. */
async function readAbout(sql: Sql, changes: readonly UserChange[]): Promise<About> {
  const { rows } = await sql.query<{
    id: string;
    application_id: string;
    is_registered: boolean;
    merged_into: string | null;
  }>(READ_PEOPLE, [[...new Set(changes.map(({ userId }) => userId))]]);
  const people = new Map(rows.map((row) => [row.id, row]));
  const candidates: Candidate[] = [];
  const newcomers: Newcomer[] = [];
  const arrivals: Arrival[] = [];
  const dated: DatedPerson[] = [];
  const changed: ChangedPerson[] = [];
  const moved: UserChange[] = [];
  for (const change of changes) {
    const person = people.get(change.userId);
    if (person === undefined) continue;
    if (person.merged_into !== null) {
      moved.push({ ...change, userId: person.merged_into });
      continue;
    }
    const { application_id: applicationId, is_registered: isRegistered } = person;
    // What waits for the registration is looked for then.
    if (!isRegistered) continue;
    changed.push({ applicationId, change });
    if (change.kind === 'event')
      candidates.push({ ...change, applicationId, seenAt: change.receivedAt });
    if (change.kind === 'registered' || change.kind === 'merged') {
      const anonymousId = change.kind === 'merged' ? change.anonymousId : null;
      newcomers.push({ applicationId, userId: change.userId, anonymousId });
    }
    if (change.kind !== 'event' && change.kind !== 'outcome')
      dated.push({ applicationId, userId: change.userId });
    if (change.kind === 'trigger' && change.trigger !== 'date') {
      const { automationId, userId, trigger: kind, at } = change;
      arrivals.push({ applicationId, automationId, userId, kind, at });
    }
  }
  return { candidates, newcomers, arrivals, dated, changed, moved };
}

/** What may wake runs of a person. */
type Hint = { readonly userId: string; readonly slug: string };

const toHint = ({ userId, slug }: Hint): Hint => ({ userId, slug: ofSegment(slug) });

const hintsOf = (changes: readonly UserChange[]): Hint[] =>
  changes.flatMap((change) => {
    // What a public key sent without a proof wakes only those who wait for anyone's events.
    if (change.kind === 'event')
      return [
        { userId: change.userId, slug: change.isProved ? change.slug : ofAnyone(change.slug) },
      ];
    if (change.kind === 'profile') return [{ userId: change.userId, slug: PROFILE }];
    return change.kind === 'outcome' ? [{ userId: change.userId, slug: OUTCOME }] : [];
  });

/** Runs that wait for what has happened go on at once. Whether it is what they wait for, they ask. */
async function wake(sql: Sql, hints: readonly Hint[]): Promise<void> {
  if (hints.length === 0) return;
  await sql.query(WAKE, [hints.map(({ userId }) => userId), hints.map(({ slug }) => slug)]);
}
