import { MAX_AGE } from '@tidings/automations/enter';
import { entryKeyOf } from '@tidings/automations/entry-key';
import { comparePlaces } from '@tidings/automations/places';
import { refusalOf } from '@tidings/automations/refusal';
import { ofAnyone, ofSegment } from '@tidings/automations/to-step';
import type { EntryRefusal } from '@tidings/contracts/automations/runs';
import { LIMITS } from '@tidings/contracts/limits';
import { toMs } from '@tidings/segments/durations';
import type { PersonEvent } from '@tidings/segments/stored-people';
import { createHistory, type History } from './person-history.ts';
import { beginRun, keptRun, stepRun, type RehearsedGoing } from './rehearse-run.ts';
import type { RehearsedPerson, Rehearsing, Stage } from './rehearsing.ts';

/** As far as the engine looks back when someone registers, and at how many events. */
const LOOK_BACK_MAX_MS = 7 * 86_400_000;
const EVENTS_LOOKED_AT = 100;
/** A run that is due again and again at one instant is a fault of this program. */
const STEPS_OF_INSTANT = 1_000;
/** How much is done between two looks at whether it is to go on. */
const WORK_OF_TURN = 100;

type Candidate = {
  /** Null: an instant. */
  readonly event: PersonEvent | null;
  /** Of an instant: itself. Of an event: when it could enter the person first. */
  readonly seenAt: number;
};

/** How far a person has come. */
type Way = {
  readonly of: Rehearsing;
  readonly person: RehearsedPerson;
  readonly history: History;
  /** In the order in which they were entered, without those that nothing can happen to. */
  readonly runs: Set<RehearsedGoing>;
  /** The first ones, also those that ended. */
  readonly shown: RehearsedGoing[];
  readonly lastEntered: Map<string, number>;
  /** The events before it have been received. */
  next: number;
  /** The instants before it have come. */
  arrived: number;
  /** What the person does in segments, in its order. */
  readonly moves: readonly { readonly at: number; readonly slug: string }[];
  /** The moves before it have happened. */
  moved: number;
  isRegistered: boolean;
};

/**
 * Takes one person through an automation, by the events that are stored of them. It does at each
 * instant what the engine does, and in that order: events enter, they wake runs, due runs go on.
 * What the bound of time ends counts as far as it came.
 */
export async function rehearsePerson(
  of: Rehearsing,
  person: RehearsedPerson,
  stage: Stage,
): Promise<void> {
  const way: Way = {
    of,
    person,
    history: createHistory(
      of.named.list.length,
      ({ isProved }) => isProved || of.trigger?.from === 'anyone',
    ),
    runs: new Set(),
    shown: [],
    lastEntered: new Map(),
    next: 0,
    arrived: 0,
    moves: [...(person.moves ?? [])]
      .flatMap(([slug, { moves }]) => moves.map(({ at }) => ({ at, slug })))
      .toSorted((one, other) => one.at - other.at),
    moved: 0,
    isRegistered: false,
  };
  const goesOn = everyTurn(stage);
  for (let at = nextInstant(way); at <= of.to; at = nextInstant(way))
    if (!(await goesOn()) || !(await passInstant(way, { at, stage, goesOn }))) break;
  for (const each of way.shown) stage.tally.keep(keptRun(each));
}

/** Asks the stage once in a while. */
function everyTurn({ goesOn }: Stage): () => Promise<boolean> {
  let work = 0;
  return async () => {
    work += 1;
    return work % WORK_OF_TURN !== 0 || (await goesOn());
  };
}

/** Returns whether it came to its end. */
async function passInstant(
  way: Way,
  { at, stage, goesOn }: Moment & { readonly goesOn: () => Promise<boolean> },
): Promise<boolean> {
  const begun: RehearsedGoing[] = [];
  for (const candidate of receive(way, at)) {
    if (!(await goesOn())) return false;
    const run = enter(way, candidate, { at, stage });
    if (run !== null) begun.push(run);
  }
  for (const run of begun) {
    if (!(await goesOn())) return false;
    await step(way, run, { at, stage });
  }
  for (const run of way.runs)
    for (let steps = 0; isDue(run, at); steps += 1) {
      if (steps === STEPS_OF_INSTANT) throw new Error('a rehearsed run does not go on');
      if (!(await goesOn())) return false;
      await step(way, run, { at, stage });
    }
  return true;
}

function nextInstant(way: Way): number {
  const { person, next, arrived, moves, moved, runs, isRegistered } = way;
  let first = Math.min(
    person.events[next]?.receivedAt ?? Infinity,
    person.arrivals?.[arrived]?.seenAt ?? Infinity,
    moves[moved]?.at ?? Infinity,
  );
  if (!isRegistered) first = Math.min(first, person.registeredAt);
  for (const { dueAt } of runs) if (dueAt !== null && dueAt < first) first = dueAt;
  return first;
}

const isDue = ({ dueAt }: RehearsedGoing, at: number): boolean => dueAt !== null && dueAt <= at;

/** What has been received at an instant. Returns what may enter the person. */
function receive(way: Way, at: number): readonly Candidate[] {
  const { person, history, of } = way;
  const received: PersonEvent[] = [];
  const isOfTrigger = ({ slug, receivedAt }: PersonEvent): boolean =>
    of.triggerSlugs.has(slug) && receivedAt >= of.from;
  for (
    let event = person.events[way.next];
    event !== undefined && event.receivedAt <= at;
    event = person.events[way.next]
  ) {
    history.add(event);
    received.push(event);
    way.next += 1;
  }
  wake(way, [...received.map(hintOf), ...passMoves(way, at)], at);
  if (person.registeredAt > at) return [];
  const own: Candidate[] = received
    .filter(isOfTrigger)
    .map((event) => ({ event, seenAt: event.receivedAt }));
  for (
    let arrival = person.arrivals?.[way.arrived];
    arrival !== undefined && arrival.seenAt <= at;
    arrival = person.arrivals?.[way.arrived]
  ) {
    own.push({ event: null, seenAt: arrival.at });
    way.arrived += 1;
  }
  if (way.isRegistered) return own;
  way.isRegistered = true;
  // What came before the registration, as the engine reads it.
  const { maxAge = MAX_AGE } = of.trigger ?? {};
  const after = at - (maxAge === null ? LOOK_BACK_MAX_MS : toMs(maxAge));
  const earlier = person.events
    .slice(0, way.next - received.length)
    .filter((event) => isOfTrigger(event) && Number(event.time) >= after)
    .toSorted(comparePlaces)
    .slice(-EVENTS_LOOKED_AT);
  return [...own, ...earlier.map((event) => ({ event, seenAt: at }))];
}

const hintOf = ({ slug, isProved }: PersonEvent): string => (isProved ? slug : ofAnyone(slug));

/** How the moves until an instant wake runs. */
function passMoves(way: Way, at: number): string[] {
  const first = way.moved;
  while ((way.moves[way.moved]?.at ?? Infinity) <= at) way.moved += 1;
  return way.moves.slice(first, way.moved).map(({ slug }) => ofSegment(slug));
}

function wake({ runs }: Way, hints: readonly string[], at: number): void {
  for (const each of runs) {
    const isWoken = hints.some((hint) => each.slugs.has(hint));
    if (isWoken && each.dueAt !== null && each.dueAt > at) each.dueAt = at;
  }
}

type Moment = { readonly at: number; readonly stage: Stage };

function enter(way: Way, candidate: Candidate, { at, stage }: Moment): RehearsedGoing | null {
  const { entry = { again: 'never' } } = way.of.program.definition;
  const { event, seenAt } = candidate;
  const key = event === null ? '' : keyOf(way.of, event);
  const running = [...way.runs].filter(({ run }) => run.status === 'active');
  const refusal =
    (event === null ? null : refusalOfEvent(way.of, { event, seenAt })) ??
    (key === null
      ? 'where'
      : refusalOf(entry, {
          now: at,
          hasRoom: true,
          isRunning: running.some((other) => other.key === key),
          runs: running.length,
          lastEntered: way.lastEntered.get(key) ?? null,
        }));
  if (refusal !== null || key === null) {
    stage.tally.refused(refusal ?? 'where');
    return null;
  }
  const begun = beginRun(way.of, way.person, { event, arrivedAt: seenAt, key, at });
  way.runs.add(begun);
  return begun;
}

/** Why an event enters no one, without what its person did before. */
function refusalOfEvent(
  { trigger, named }: Rehearsing,
  { event, seenAt }: { readonly event: PersonEvent; readonly seenAt: number },
): EntryRefusal | null {
  const { maxAge = MAX_AGE, from } = trigger ?? {};
  if (!event.isProved && from !== 'anyone') return 'not_proved';
  if (maxAge !== null && seenAt - Number(event.time) > toMs(maxAge)) return 'max_age';
  return named.trigger !== null && event.isNamed[named.trigger] === true ? null : 'where';
}

/** The path was read as one value. */
function keyOf({ program }: Rehearsing, { value }: PersonEvent): string | null {
  const key = program.definition.entry?.key;
  return key === undefined ? '' : entryKeyOf({ key: 'value' }, { value });
}

async function step(way: Way, going: RehearsedGoing, { at, stage }: Moment): Promise<void> {
  const { filter } = way.of.program.definition;
  const isNew = going.run.lines === 0;
  if (isNew) {
    const isLetIn =
      filter === undefined || (await stage.asker.isTrue(filter, way.person.userId, at));
    if (!isLetIn) {
      way.runs.delete(going);
      stage.tally.refused('filter');
      return;
    }
    way.lastEntered.set(going.key, at);
    if (way.shown.length < LIMITS.rehearsalTracesMax) way.shown.push(going);
  }
  const { history, person } = way;
  await stepRun(way.of, going, { at, history, moves: person.moves, stage });
  if (going.dueAt === null && going.run.status !== 'active') way.runs.delete(going);
}
