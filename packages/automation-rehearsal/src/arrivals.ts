import { DATE_MAX_AGE, type DateTrigger } from '@tidings/contracts/automations/calendar';
import type { AutomationTrigger, SegmentTrigger } from '@tidings/contracts/automations/definition';
import { nextAfter } from '@tidings/automation-schedules/schedules';
import type { Sql } from '@tidings/postgres/database';
import { toMs } from '@tidings/segments/durations';
import { selectMembers } from '@tidings/segments/members';
import { nextDate, type KnownDate } from '@tidings/segments/next-date';
import { readPersonCalendars } from '@tidings/segments/person-calendar';
import { isTimeless } from '@tidings/segments/stored-people';
import type { Arrival, PersonMoves, RehearsedPerson, Rehearsing } from './rehearsing.ts';
import type { MovesReader } from './segment-moves.ts';

type Listed = Pick<RehearsedPerson, 'userId' | 'registeredAt'>;
type Asked = Pick<Rehearsing, 'context' | 'from' | 'to'> & {
  /** The moment whose profiles are asked. */
  readonly asOf: number;
};

/**
 * When a clock, a date or a segment enters each of some people in the period. Who is in the segment of a
 * schedule is asked at each of its instants. Absent: it never does.
 * @param goesOn whether there is time left
 */
export async function readArrivals(
  sql: Sql,
  {
    trigger,
    goesOn,
    moves,
    ...asked
  }: Asked & {
    readonly trigger: AutomationTrigger;
    readonly goesOn: () => Promise<boolean>;
    readonly moves: MovesReader;
  },
  people: readonly Listed[],
): Promise<ReadonlyMap<string, readonly Arrival[]>> {
  const arrivals = new Map<string, Arrival[]>();
  const userIds = people.map(({ userId }) => userId);
  const { context, from, to, asOf } = asked;
  if ('when' in trigger) {
    const members = await moves.of(trigger.segment, people);
    for (const { userId } of people) {
      const entered = movesOf(trigger, members.get(userId), from);
      if (entered.length > 0) arrivals.set(userId, entered);
    }
    return arrivals;
  }
  const isDate = 'date' in trigger;
  const dates = isDate ? [trigger.date] : [];
  const calendars = await readPersonCalendars(sql, { context, now: asOf, dates }, userIds);
  if (isDate) {
    for (const { userId, registeredAt } of people) {
      const { timeZone = '', dates: own = [] } = calendars.get(userId) ?? {};
      const known = { value: own[0] ?? null, timeZone, from: Math.max(from, registeredAt), to };
      const entered = datesOf(trigger, known);
      if (entered.length > 0) arrivals.set(userId, entered);
    }
    return arrivals;
  }
  if (!('schedule' in trigger)) return arrivals;
  const condition = { segment: trigger.segment };
  const applicationZone = [...calendars.values()][0]?.applicationZone ?? null;
  const next = (afterMs: number): number | null =>
    nextAfter(trigger.schedule, { applicationZone, afterMs });
  let always: ReadonlySet<string> | null = null;
  if (isTimeless(condition, context))
    always = await selectMembers(sql, { context, condition, now: asOf }, userIds);
  // As of an activation at the beginning of the period, whose very instant does not count.
  for (let at = next(from); at !== null && at <= to; at = next(at)) {
    if (!(await goesOn())) return arrivals;
    const members = always ?? (await selectMembers(sql, { context, condition, now: at }, userIds));
    for (const { userId, registeredAt } of people) {
      if (registeredAt > at || !members.has(userId)) continue;
      const own = arrivals.get(userId) ?? [];
      own.push({ at, seenAt: at });
      arrivals.set(userId, own);
    }
  }
  return arrivals;
}

const NEVER: PersonMoves = { wasMember: false, moves: [] };

/** As an activation at the beginning of the period would have it. */
function movesOf(
  { when, existing }: SegmentTrigger,
  { wasMember, moves }: PersonMoves = NEVER,
  from: number,
): Arrival[] {
  const isMember = when === 'enters';
  return [
    ...(existing === true && wasMember ? [from] : []),
    ...moves.flatMap((move) => (move.isMember === isMember ? [move.at] : [])),
  ].map((at) => ({ at, seenAt: at }));
}

/** As the engine would have seen the date of a person, had it been what it is now. */
function datesOf(
  trigger: DateTrigger,
  {
    value,
    timeZone,
    from,
    to,
  }: {
    readonly value: number | null;
    readonly timeZone: string;
    readonly from: number;
    readonly to: number;
  },
): Arrival[] {
  const arrivals: Arrival[] = [];
  let known: KnownDate | null = null;
  for (let now: number | null = from; now !== null && now <= to;) {
    const next = nextDate(trigger, { value, timeZone, known, now });
    if (next === null) break;
    if (next.enters !== null) arrivals.push({ at: next.enters, seenAt: now });
    known = next;
    now = next.dueAt;
  }
  return arrivals;
}

/** For how long before the period a trigger may lie that enters someone in it. */
export function maxAgeOf(trigger: AutomationTrigger, ofEvents: string): number {
  if ('date' in trigger) return toMs(trigger.maxAge ?? DATE_MAX_AGE);
  if (!('event' in trigger)) return 0;
  const { maxAge = ofEvents } = trigger;
  return maxAge === null ? Infinity : toMs(maxAge);
}
