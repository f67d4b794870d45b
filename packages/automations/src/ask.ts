import type { Channel } from '@tidings/contracts/channels/channels';
import {
  asksReach,
  messagesOf,
  type AwaitedMessage,
  type SegmentExit,
  type NamedEvent,
} from '@tidings/contracts/automations/definition';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { readQuietUntil } from '@tidings/delivery/quiet-of-people';
import { readMemberships } from '@tidings/live-segments/memberships';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { toMs } from '@tidings/segments/durations';
import { hearsOf } from '@tidings/segments/live-conditions';
import { selectMembers } from '@tidings/segments/members';
import { readPersonCalendars } from '@tidings/segments/person-calendar';
import { firstEventsAfter, type EventPlace } from '@tidings/segments/person-events';
import { needsOf, type Answers, type Needs } from './interpret.ts';
import { slugsOf } from './listen-for.ts';
import { comparePlaces, lastPlaceAt, placeAt } from './places.ts';
import type { Run } from './run.ts';
import type { VersionNow } from './version-now.ts';
import { readWinners } from './winners.ts';
import { dateOf, type UntilAnswer } from '@tidings/segments/until';

const statement = statementsIn(import.meta.dirname);

type Moment = { readonly context: ConditionContext; readonly now: number };

/** Runs of one version. */
type Asked = Pick<VersionNow, 'automation' | 'version' | 'program' | 'context' | 'now'> & {
  readonly runs: readonly Run[];
};

/**
 * Asks what the next step of each run needs to know: one statement for each question, for all runs
 * that may come to it.
 */
export async function askFor(sql: Sql, asked: Asked): Promise<Map<string, Answers>> {
  const { program, runs } = asked;
  const needs = new Map(runs.map((run) => [run.id, needsOf(program, run)]));
  const having = (is: (needs: Needs) => boolean): Run[] =>
    runs.filter(({ id }) => is(needs.get(id) ?? NOTHING));
  const exits = await askExits(sql, asked);
  const passing = await askFilter(
    sql,
    asked,
    having(({ sends }) => sends),
  );
  const { automation, version } = asked;
  const winners = await readWinners(sql, { automationId: automation.id, version }, program);
  const answers = new Map(
    runs.map((run) => [
      run.id,
      {
        exit: exits.get(run.id) ?? null,
        passesFilter: passing.has(run.userId),
        conditions: new Map<string, boolean>(),
        awaited: new Map<string, number | null>(),
        calendar: new Map<string, UntilAnswer>(),
        reached: new Map<string, number | null>(),
        quietUntil: new Map<string, readonly (number | null)[]>(),
        winners,
      },
    ]),
  );
  const dated = having(({ untils }) => untils.length > 0);
  for (const [id, own] of await askCalendars(sql, asked, { runs: dated, needs }))
    for (const [node, answer] of own) answers.get(id)?.calendar.set(node, answer);
  for (const { node } of program.steps.values()) {
    if ('if' in node) {
      const own = having(({ conditions }) => conditions.some(({ id }) => id === node.id));
      const members = await select(sql, asked, { condition: node.if, runs: own });
      for (const run of own) answers.get(run.id)?.conditions.set(node.id, members.has(run.userId));
    }
    if ('waitFor' in node) {
      const own = having(({ waits }) => waits.some(({ id }) => id === node.id));
      const untilOf = (run: Run): number =>
        run.node === node.id && run.waitsUntil !== null
          ? run.waitsUntil
          : asked.now + toMs(node.timeout);
      const found =
        'event' in node.waitFor
          ? await askEvents(sql, asked, { named: node.waitFor, runs: own, untilOf })
          : 'segment' in node.waitFor
            ? await askSegment(sql, asked, { awaited: node.waitFor, runs: own, untilOf })
            : await askOutcomes(sql, node.waitFor, own);
      for (const run of own) answers.get(run.id)?.awaited.set(node.id, found.get(run.id) ?? null);
    }
    if ('send' in node && asksReach(node.send)) {
      const own = having(({ tries }) => tries.includes(node.id));
      const reached = await askReached(sql, asked, {
        channels: messagesOf(node.send).map(({ channel }) => channel),
        runs: own,
      });
      for (const run of own) answers.get(run.id)?.reached.set(node.id, reached.get(run.id) ?? null);
    }
    if ('send' in node && node.send.quietHours === 'wait') {
      const own = having(({ quiet }) => quiet.includes(node.id));
      const channels = messagesOf(node.send).map(({ channel }) => channel);
      const hasSome = own.length > 0 && program.definition.purpose === 'marketing';
      const ids = hasSome ? own.map(({ userId }) => userId) : [];
      const until = await readQuietUntil(sql, { channels, now: asked.now }, ids);
      for (const run of own)
        answers.get(run.id)?.quietUntil.set(node.id, until.get(run.userId) ?? []);
    }
  }
  return answers;
}

const NOTHING: Needs = {
  conditions: [],
  waits: [],
  untils: [],
  tries: [],
  quiet: [],
  sends: false,
};

/** Zones and dates of the people of some runs, by the nodes that name them: one statement for all. */
async function askCalendars(
  sql: Sql,
  { context, now }: Moment,
  { runs, needs }: { readonly runs: readonly Run[]; readonly needs: ReadonlyMap<string, Needs> },
): Promise<Map<string, Map<string, UntilAnswer>>> {
  const untils = new Map(
    runs.flatMap(({ id }) => (needs.get(id) ?? NOTHING).untils.map((node) => [node.id, node])),
  );
  const dates = [...untils.values()].flatMap((node) => {
    const date = dateOf(node);
    return date === null ? [] : [{ node: node.id, date }];
  });
  const calendars = await readPersonCalendars(
    sql,
    { context, now, dates: dates.map(({ date }) => date) },
    runs.map(({ userId }) => userId),
  );
  return new Map(
    runs.map(({ id, userId }) => {
      const calendar = calendars.get(userId);
      if (calendar === undefined) throw new Error('the person of a run is missing');
      const { timeZone, applicationZone } = calendar;
      const of = new Map(dates.map(({ node }, index) => [node, calendar.dates[index] ?? null]));
      const own = (needs.get(id) ?? NOTHING).untils.map(
        (node) => [node.id, { timeZone, applicationZone, date: of.get(node.id) ?? null }] as const,
      );
      return [id, new Map(own)];
    }),
  );
}

/** The people of some runs of whom a condition is true. */
async function select(
  sql: Sql,
  { context, now }: Moment,
  { condition, runs }: { readonly condition: Condition; readonly runs: readonly Run[] },
): Promise<Set<string>> {
  if (runs.length === 0) return new Set();
  return selectMembers(
    sql,
    { context, condition, now },
    runs.map(({ userId }) => userId),
  );
}

async function askFilter(sql: Sql, asked: Asked, runs: readonly Run[]): Promise<Set<string>> {
  const { filter, recheckFilter = true } = asked.program.definition;
  return filter === undefined || !recheckFilter
    ? new Set(runs.map(({ userId }) => userId))
    : select(sql, asked, { condition: filter, runs });
}

type Exit = { readonly isGoal: boolean; readonly at: EventPlace };

/** The first exit of each run, by what people did, or became, later than their trigger. */
async function askExits(sql: Sql, asked: Asked): Promise<Map<string, Exit>> {
  const first = new Map<string, Exit>();
  const note = (id: string, isGoal: boolean, at: EventPlace): void => {
    const before = first.get(id);
    if (before === undefined || comparePlaces(at, before.at) < 0) first.set(id, { isGoal, at });
  };
  for (const exit of asked.program.definition.exit ?? []) {
    if ('unsubscribed' in exit) {
      const at = lastPlaceAt(asked.now);
      for (const id of await askUnsubscribed(sql, asked, exit.unsubscribed)) note(id, false, at);
      continue;
    }
    if ('segment' in exit) {
      const moved = await movedAfter(sql, asked, { exit, runs: asked.runs });
      for (const [id, at] of moved) note(id, exit.as === 'goal', placeAt(at));
      continue;
    }
    const found = await firstAfter(sql, asked, {
      named: exit,
      runs: asked.runs,
      // Also one whose sender's clock is ahead: nothing would wake the run once its time has come.
      untilOf: () => Number.MAX_SAFE_INTEGER,
    });
    for (const [id, at] of found) note(id, exit.as === 'goal', at);
  }
  return first;
}

type Moving = { readonly exit: SegmentExit; readonly runs: readonly Run[] };

/**
 * Of each run whose person entered or left a segment later than its trigger and has stayed so: when,
 * in milliseconds. What the event that entered the run did itself is not later.
 */
export async function movedAfter(
  sql: Sql,
  asked: Pick<Asked, 'context' | 'program'>,
  { exit, runs }: Moving,
): Promise<Map<string, number>> {
  const { segment: slug, when } = exit;
  const applicationId = runs[0]?.applicationId;
  if (applicationId === undefined) return new Map();
  const userIds = runs.map(({ userId }) => userId);
  const members = await readMemberships(sql, { applicationId, slug, userIds });
  const moved = runs.flatMap((run) => {
    const { isMember, since = -Infinity } = members.get(run.userId) ?? {};
    return isMember === (when === 'enters') && since > Number(run.trigger.time)
      ? [{ run, since }]
      : [];
  });
  // Their moves are known by the step alone that has entered them.
  const inStep = moved.filter(
    ({ run, since }) => since >= run.trigger.receivedAt && since <= run.enteredAt,
  );
  const byTrigger = await movedByTrigger(sql, asked, {
    exit,
    runs: inStep.map(({ run }) => run),
  });
  return new Map(
    moved.flatMap(({ run: { id }, since }) => (byTrigger.has(id) ? [] : [[id, since] as const])),
  );
}

/** Those of some runs whose person had moved by the event that entered them, with all before it. */
async function movedByTrigger(
  sql: Sql,
  { context, program }: Pick<Asked, 'context' | 'program'>,
  { exit: { segment, when }, runs }: Moving,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const { trigger } = program.definition;
  if (runs.length === 0 || !('event' in trigger)) return found;
  const condition = { segment };
  const heard = new Set(hearsOf(condition, context).slugs);
  if (!slugsOf(context, trigger.event).some((slug) => heard.has(slug))) return found;
  for (const [time, own] of Map.groupBy(runs, (run) => run.trigger.time)) {
    const userIds = own.map(({ userId }) => userId);
    const members = await selectMembers(sql, { context, condition, now: Number(time) }, userIds);
    for (const { id, userId } of own)
      if (members.has(userId) === (when === 'enters')) found.add(id);
  }
  return found;
}

/** Runs of people whom marketing by a channel does not reach, though other messages do. */
async function askUnsubscribed(
  sql: Sql,
  asked: Asked,
  channel: Channel,
): Promise<readonly string[]> {
  const condition = isUnsubscribed(channel);
  const members = await select(sql, asked, { condition, runs: asked.runs });
  return asked.runs.flatMap(({ id, userId }) => (members.has(userId) ? [id] : []));
}

/** Other messages reach a person, and marketing does not. @callers automation-rehearsal */
export const isUnsubscribed = (channel: Channel): Condition => ({
  all: [{ reachable: channel }, { not: { reachable: channel, purpose: 'marketing' } }],
});

/** Now, of each run whose person is in a segment, or out of it, as it waits for. */
async function askSegment(
  sql: Sql,
  asked: Asked,
  {
    awaited: { segment, when },
    runs,
    untilOf,
  }: {
    readonly awaited: SegmentExit;
    readonly runs: readonly Run[];
    readonly untilOf: (run: Run) => number;
  },
): Promise<Map<string, number>> {
  const members = await select(sql, asked, { condition: { segment }, runs });
  return new Map(
    runs.flatMap((run) =>
      members.has(run.userId) === (when === 'enters')
        ? // Also if its timer is handled late.
          [[run.id, Math.min(asked.now, untilOf(run))] as const]
        : [],
    ),
  );
}

type EventQuestion = {
  readonly named: NamedEvent;
  readonly runs: readonly Run[];
  /** Milliseconds. */
  untilOf(run: Run): number;
};

/** Of each run, the first such event after its trigger; nothing where there is none. */
export async function firstAfter(
  sql: Sql,
  { context, now, program }: Moment & Pick<Asked, 'program'>,
  { named, runs, untilOf }: EventQuestion,
): Promise<Map<string, EventPlace>> {
  if (runs.length === 0) return new Map();
  const { trigger } = program.definition;
  const found = await firstEventsAfter(sql, {
    context,
    now,
    named,
    isProved: !('event' in trigger && trigger.from === 'anyone'),
    searches: runs.map((run) => ({
      userId: run.userId,
      after: run.trigger,
      until: untilOf(run),
    })),
  });
  return new Map(
    runs.flatMap(({ id }, index) => {
      const at = found[index] ?? null;
      return at === null ? [] : [[id, at] as const];
    }),
  );
}

async function askEvents(
  sql: Sql,
  asked: Asked,
  question: EventQuestion,
): Promise<Map<string, number>> {
  const found = await firstAfter(sql, asked, question);
  return new Map([...found].map(([id, { time }]) => [id, Number(time)]));
}

/** When the message of a node became what is awaited. */
async function askOutcomes(
  sql: Sql,
  { message: { node }, was }: AwaitedMessage,
  runs: readonly Run[],
): Promise<Map<string, number>> {
  if (runs.length === 0) return new Map();
  const { rows } = await sql.query<{ run_id: string; at: number }>(statement('read-outcomes'), [
    runs.map(({ id }) => id),
    node,
    was,
  ]);
  return new Map(rows.map(({ run_id: id, at }) => [id, at]));
}

/** The first of some channels that reaches the person of each run. */
async function askReached(
  sql: Sql,
  asked: Asked,
  {
    channels,
    runs,
  }: {
    readonly channels: readonly Channel[];
    readonly runs: readonly Run[];
  },
): Promise<Map<string, number>> {
  const { purpose } = asked.program.definition;
  const reached = new Map<string, number>();
  for (const [index, channel] of channels.entries()) {
    const left = runs.filter(({ id }) => !reached.has(id));
    const members = await select(sql, asked, {
      condition: { reachable: channel, purpose },
      runs: left,
    });
    for (const { id, userId } of left) if (members.has(userId)) reached.set(id, index);
  }
  return reached;
}
