import { setImmediate as turn } from 'node:timers/promises';
import { toProgram } from '@tidings/automations/program';
import { MAX_AGE } from '@tidings/automations/enter';
import { slugsOf } from '@tidings/automations/listen-for';
import {
  liveSegmentsOf,
  type AutomationDefinition,
} from '@tidings/contracts/automations/definition';
import type { RehearsalCounts, RehearsalCut } from '@tidings/contracts/automations/rehearsals';
import { LIMITS } from '@tidings/contracts/limits';
import { stringifyExactJson, type Clock } from '@tidings/platform';
import { isCanceled, type Database, type Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { localSettings, readNow } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import { readPeopleEvents } from '@tidings/segments/stored-people';
import { maxAgeOf, readArrivals } from './arrivals.ts';
import { namedOf } from './named-events.ts';
import { createAsker } from './questions.ts';
import { rehearsePerson } from './rehearse-person.ts';
import type { PersonMoves, RehearsedPerson, Rehearsing } from './rehearsing.ts';
import { createMoves, type MovesReader } from './segment-moves.ts';
import { listPeople, listRegistered, readPeople, type PeopleList } from './stored-people.ts';
import { createTally, type Tally } from './tally.ts';

const statement = statementsIn(import.meta.dirname);

/** Longer than any statement of a rehearsal. */
const LEASE_MS = 120_000;
/** How often it says that it goes on, with its numbers so far. */
const KEEPS_EVERY_MS = 2_000;
/** A rehearsal that ends its process as often as this has failed. */
const ATTEMPTS_MAX = 3;
const STATEMENT_MS = 60_000;
/** Whose events are read at once, and how many of them at most. */
const PEOPLE_OF_BATCH = 100;
/** Of whom the instants of a clock or a date are asked at once. */
const PEOPLE_OF_INSTANT = 1_000;
const EVENTS_OF_BATCH = 50_000;
/** An exit may have been received before the trigger that it is later than, by their own times. */
const RECEIVED_BEFORE_MAX_MS = 31 * 86_400_000;

export type RehearsalBounds = {
  readonly events: number;
  readonly ms: number;
  /** What one person may have. */
  readonly eventsOfPerson?: number;
};
const BOUNDS: RehearsalBounds = {
  events: LIMITS.rehearsalEventsMax,
  ms: LIMITS.rehearsalMinutesMax * 60_000,
};

export type RehearsalTools = {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Aborts when the process stops: another one begins anew. */
  readonly signal: AbortSignal;
  readonly bounds?: RehearsalBounds;
};

/** What is stored of a rehearsal that runs or has ended. */
export type StoredResult = RehearsalCounts & {
  /** The moment whose profiles were asked. */
  readonly asOf: number;
};

type Taken = {
  readonly id: string;
  readonly application_id: string;
  readonly definition: unknown;
  readonly attempts: number;
  readonly from_at: number;
  readonly to_at: number;
};

/** Another process has it by now. */
class LostError extends Error {
  constructor() {
    super('another process has the rehearsal');
    this.name = 'LostError';
  }
}

/**
 * Runs the oldest rehearsal that waits. Returns whether there was one. If its process ends, another
 * one takes it once its lease is over.
 * @throws what made it fail, once that is stored
 * @callers scheduler
 */
export async function runNextRehearsal(db: Database, tools: RehearsalTools): Promise<boolean> {
  const { rows } = await db.sql.query<Taken>(statement('take-rehearsal'), [LEASE_MS]);
  const [taken] = rows;
  if (taken === undefined) return false;
  if (taken.attempts > ATTEMPTS_MAX) {
    await end(db.sql, taken, { status: 'failed', error: 'interrupted' });
    return true;
  }
  try {
    await rehearse(db, taken, tools);
  } catch (error) {
    if (error instanceof LostError) return true;
    if (tools.signal.aborted) {
      await db.sql.query(statement('release-rehearsal'), [taken.id, taken.attempts]);
      throw error;
    }
    await end(db.sql, taken, {
      status: 'failed',
      error: isCanceled(error) ? 'timed_out' : 'internal',
    });
    throw error;
  }
  return true;
}

async function end(
  sql: Sql,
  { id, attempts }: Pick<Taken, 'id' | 'attempts'>,
  {
    status,
    error,
    result,
  }: {
    readonly status: 'completed' | 'failed';
    readonly error?: 'interrupted' | 'timed_out' | 'internal';
    readonly result?: StoredResult;
  },
): Promise<boolean> {
  const { rowCount } = await sql.query(statement('end-rehearsal'), [
    id,
    attempts,
    status,
    error ?? null,
    result === undefined ? null : stringifyExactJson(result),
  ]);
  return rowCount !== 0;
}

async function rehearse(
  db: Database,
  taken: Taken,
  { clock, signal, bounds = BOUNDS }: RehearsalTools,
): Promise<void> {
  const beganAt = clock.monotonicMs();
  const definition = taken.definition as AutomationDefinition;
  const trigger = 'event' in definition.trigger ? definition.trigger : null;
  const context = await readConditionContext(db.sql, taken.application_id);
  const asOf = await readNow(db.sql);
  const tally = createTally(definition);
  const of: Rehearsing = {
    applicationId: taken.application_id,
    program: toProgram(definition),
    trigger,
    triggerSlugs: new Set(trigger === null ? [] : slugsOf(context, trigger.event)),
    named: namedOf(definition, trigger),
    context,
    from: taken.from_at,
    to: taken.to_at,
  };
  const progress: Progress = { rehearsed: 0, leftOut: 0, of: 0, events: 0, cut: null };
  const resultOf = (): StoredResult => ({
    ...tally.result(),
    people: { rehearsed: progress.rehearsed, of: progress.of },
    events: progress.events,
    cut: progress.cut,
    asOf,
  });
  let keptAt = -Infinity;
  const keep = async (): Promise<void> => {
    signal.throwIfAborted();
    const now = clock.monotonicMs();
    if (now - beganAt >= bounds.ms) progress.cut = 'time';
    if (now - keptAt < KEEPS_EVERY_MS) return;
    keptAt = now;
    const { rowCount } = await db.sql.query(statement('keep-rehearsal'), [
      taken.id,
      taken.attempts,
      LEASE_MS,
      stringifyExactJson(resultOf()),
    ]);
    if (rowCount === 0) throw new LostError();
  };

  await keep();
  const people = await list(db, of, bounds.events);
  progress.of = people.count;
  // Of those whom a clock looks at most enter nothing.
  const size = trigger === null ? PEOPLE_OF_INSTANT : PEOPLE_OF_BATCH;
  for (let at = 0; at < people.length && progress.cut === null; at += size) {
    await keep();
    const userIds = people.at(at, size);
    const batch = await readPeople(db.sql, userIds);
    const goesOn = async (): Promise<boolean> => {
      await keep();
      return progress.cut === null;
    };
    const moves = createMoves(db.sql, { ...of, goesOn });
    // Those who were deleted meanwhile.
    progress.of -= userIds.length - batch.length;
    const rehearsing = { of, asOf, batch, moves, tally, keep, bounds, progress, goesOn };
    await (trigger === null
      ? rehearseArrivals(db.sql, rehearsing)
      : rehearseBatch(db.sql, rehearsing));
  }
  // Each person has an event: there are more events than there is room for.
  if (people.length < people.count || progress.leftOut > 0) progress.cut ??= 'events';
  await complete(db, taken, { result: resultOf(), tally });
}

/** All people at once: the events of a period, or all who are registered, are read to find them. */
const list = (
  db: Database,
  { applicationId, trigger, triggerSlugs, from, to }: Rehearsing,
  limit: number,
): Promise<PeopleList> =>
  db.transaction(
    async (sql) => {
      await sql.query(
        `set transaction read only; ${localSettings({ name: 'tidings-rehearsal', workMemMiB: 64 })}`,
      );
      return trigger === null
        ? listRegistered(sql, { applicationId, to, limit })
        : listPeople(sql, { applicationId, slugs: [...triggerSlugs], from, to, limit });
    },
    { statementTimeoutMs: STATEMENT_MS },
  );

type Progress = {
  rehearsed: number;
  /** People with more events than are read at once. */
  leftOut: number;
  of: number;
  events: number;
  cut: RehearsalCut | null;
};

type Batch = {
  readonly of: Rehearsing;
  readonly asOf: number;
  readonly batch: readonly Omit<RehearsedPerson, 'events'>[];
  readonly tally: Tally;
  readonly moves: MovesReader;
  readonly keep: () => Promise<void>;
  /** Whether there is time left. */
  readonly goesOn: () => Promise<boolean>;
  readonly bounds: RehearsalBounds;
  readonly progress: Progress;
};

/** Of some people, those whom a clock, a date or a segment enters. The others have been rehearsed by that. */
async function rehearseArrivals(sql: Sql, rehearsing: Batch): Promise<void> {
  const { of, asOf, batch, moves, progress, goesOn } = rehearsing;
  const { trigger } = of.program.definition;
  const arrivals = await readArrivals(sql, { ...of, trigger, asOf, goesOn, moves }, batch);
  if (progress.cut !== null) return;
  const entering = batch.flatMap((person) => {
    const own = arrivals.get(person.userId);
    return own === undefined ? [] : [{ ...person, arrivals: own }];
  });
  progress.rehearsed += batch.length - entering.length;
  for (let start = 0; start < entering.length; start += PEOPLE_OF_BATCH) {
    const some = entering.slice(start, start + PEOPLE_OF_BATCH);
    await rehearseBatch(sql, { ...rehearsing, batch: some });
    if (progress.cut !== null) return;
  }
}

async function rehearseBatch(sql: Sql, rehearsing: Batch): Promise<void> {
  const { of, asOf, batch, moves, tally, keep, bounds, progress } = rehearsing;
  const maxAge = maxAgeOf(of.program.definition.trigger, MAX_AGE);
  const before = Math.min(maxAge, RECEIVED_BEFORE_MAX_MS);
  const room = bounds.events - progress.events;
  const { eventsOfPerson = EVENTS_OF_BATCH } = bounds;
  const limit = Math.min(eventsOfPerson, room) + 1;
  const userIds = batch.map(({ userId }) => userId);
  const events = await readPeopleEvents(sql, {
    context: of.context,
    named: of.named.list,
    userIds,
    receivedFrom: of.from - before,
    receivedUntil: of.to,
    attribute: of.program.definition.entry?.key ?? null,
    limit,
  });
  if (events.length === limit) {
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await rehearseBatch(sql, { ...rehearsing, batch: batch.slice(0, half) });
      if (progress.cut !== null) return;
      await rehearseBatch(sql, { ...rehearsing, batch: batch.slice(half) });
      return;
    }
    // One person with more events than there is room for.
    if (room > eventsOfPerson) progress.leftOut += 1;
    else progress.cut = 'events';
    return;
  }
  const byPerson = Map.groupBy(events, ({ userId }) => userId);
  const asker = createAsker(
    sql,
    { context: of.context, purpose: of.program.definition.purpose, now: asOf },
    userIds,
  );
  const members = new Map<string, ReadonlyMap<string, PersonMoves>>();
  for (const slug of lookedAt(of.program.definition))
    members.set(slug, await moves.of(slug, batch));
  const goesOn = async (): Promise<boolean> => {
    await turn();
    return rehearsing.goesOn();
  };
  for (const person of batch) {
    await keep();
    if (progress.cut !== null) return;
    const own = byPerson.get(person.userId) ?? [];
    progress.events += own.length;
    const inSegments = movesIn(members, person.userId);
    await rehearsePerson(
      of,
      { ...person, events: own, moves: inSegments },
      { asker, tally, goesOn },
    );
    progress.rehearsed += 1;
  }
}

/** The segments whose members exits and waits ask for. */
const lookedAt = (definition: AutomationDefinition): Set<string> =>
  new Set(
    liveSegmentsOf(definition).flatMap(({ slug, pointer }) =>
      pointer.startsWith('/trigger') ? [] : [slug],
    ),
  );

const movesIn = (
  members: ReadonlyMap<string, ReadonlyMap<string, PersonMoves>>,
  userId: string,
): ReadonlyMap<string, PersonMoves> =>
  new Map(
    [...members].flatMap(([slug, own]) => {
      const moves = own.get(userId);
      return moves === undefined ? [] : [[slug, moves] as const];
    }),
  );

async function complete(
  db: Database,
  taken: Taken,
  { result, tally }: { readonly result: StoredResult; readonly tally: Tally },
): Promise<void> {
  await db.transaction(async (sql) => {
    if (!(await end(sql, taken, { status: 'completed', result }))) throw new LostError();
    await sql.query(statement('insert-traces'), [
      taken.id,
      taken.application_id,
      tally.kept.map(({ userId }) => userId),
      tally.kept.map(({ userId: _person, ...run }) => stringifyExactJson(run)),
    ]);
  });
}
