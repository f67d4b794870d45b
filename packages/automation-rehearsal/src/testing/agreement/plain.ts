import type {
  AutomationDefinition,
  AutomationExit,
  AutomationNode,
  SegmentChange,
} from '@tidings/contracts/automations/definition';
import { createHash } from 'node:crypto';
import { dateInstant, endOfQuiet, nextTime } from './calendar.ts';
import { chancesOf, type Chance } from './chances.ts';
import {
  isLater,
  isMember,
  isSuch,
  isTrue,
  movesOf,
  ms,
  nameOf,
  QUIET,
  ZONE,
  type Span,
} from './facts.ts';
import { profileAt, type Deed, type Person } from './history.ts';

/**
 * What an automation does with people, written down once more, without the code of the interpreter:
 * a run is walked through as a whole, from its entry to its end, by looking ahead in what its person
 * did. Conditions are asked of the history, not of the database.
 */
export type PlainRun = {
  readonly customUserId: string;
  /** Of the event that entered it; empty: none did. */
  readonly messageId: string;
  readonly key: string;
  readonly status: 'active' | 'completed' | 'exited';
  /** `instant node outcome reason`, without where it waits. */
  readonly lines: readonly string[];
  /** Where it is on the way. */
  readonly node: string | null;
};

/** The part of a person in the branches of a split. */
const draw = (node: string, userId: string): number =>
  createHash('sha256').update(`${node}:${userId}`).digest().readUInt32BE() / 2 ** 32;

type Ended = { readonly at: number; readonly status: 'completed' | 'exited' };
type Walk = {
  readonly lines: string[];
  /** Null: it has not ended by `to`. */
  readonly ended: Ended | null;
  readonly node: string | null;
};

class Left extends Error {
  readonly walk: Omit<Walk, 'lines'>;
  constructor(walk: Omit<Walk, 'lines'>) {
    super();
    this.walk = walk;
  }
}

/** What lets a run look again, apart from its exits. */
type Wakes = {
  readonly names?: readonly string[];
  readonly segments?: readonly string[];
  readonly hasProfile?: boolean;
};

function walk(
  definition: AutomationDefinition,
  person: Person,
  { chance, span }: { readonly chance: Chance; readonly span: Span },
): Walk {
  const { to } = span;
  const enteredAt = chance.at;
  const isOfAnyone = 'from' in definition.trigger && definition.trigger.from === 'anyone';
  const heard = person.deeds.filter((deed) => deed.isProved || isOfAnyone);
  // An instant has no id, so that what has its very time is later.
  const later = heard.filter((deed) =>
    chance.deed === null ? deed.time >= chance.time : isLater(deed, chance.deed),
  );
  const lines = [`${enteredAt} entered`];
  const say = (at: number, ...words: readonly string[]): void => {
    lines.push([at, ...words].join(' '));
  };
  const isLetThrough = (at: number): boolean =>
    definition.filter === undefined ||
    definition.recheckFilter === false ||
    isTrue(definition.filter, person, at);
  const { exit: all = [], purpose } = definition;
  const exits = all.filter((exit) => 'event' in exit);
  const segmentExits = all.filter((exit) => 'segment' in exit);
  const zone = person.timeZone ?? ZONE;
  /** When each message was made, and whether it reaches its person. */
  const sent = new Map<string, { readonly at: number; readonly reaches: boolean }>();
  let lastSentAt: number | null = null;

  /** Since when someone has been in a segment, or out of it, if that is later than the trigger. */
  const hasMoved = ({ segment, when }: SegmentChange, at: number): boolean => {
    const last = movesOf(segment, person, span).findLast((move) => move.at <= at);
    return last !== undefined && last.isMember === (when === 'enters') && last.at > chance.time;
  };
  /** The first of those known at an instant, which ends the run. */
  const exitAt = (at: number): AutomationExit | null => {
    let first: { readonly deed: Deed; readonly exit: AutomationExit } | null = null;
    for (const exit of exits)
      for (const deed of later)
        if (deed.receivedAt <= at && isSuch(deed, exit))
          if (first === null || isLater(first.deed, deed)) first = { deed, exit };
    if (first !== null) return first.exit;
    const moved = segmentExits.find((exit) => hasMoved(exit, at));
    if (moved !== undefined) return moved;
    const isOut = person.email !== null && profileAt(person, at).isUnsubscribed;
    return (isOut ? all.find((exit) => 'unsubscribed' in exit) : undefined) ?? null;
  };
  const leaveIfOut = (at: number, node: string): void => {
    const exit = exitAt(at);
    if (exit === null) return;
    say(at, node, 'as' in exit && exit.as === 'goal' ? 'goal' : 'exited');
    throw new Left({ ended: { at, status: 'exited' }, node: null });
  };
  /** The next instant after `at` at which something lets the run look. */
  const nextWake = (at: number, { names = [], segments = [], hasProfile }: Wakes): number => {
    const own = new Set([...names, ...exits.map(nameOf)]);
    const moves = new Set([...segments, ...segmentExits.map(({ segment }) => segment)]);
    return Math.min(
      Infinity,
      ...[
        ...heard.filter(({ name }) => own.has(name)).map(({ receivedAt }) => receivedAt),
        ...[...moves].flatMap((each) => movesOf(each, person, span).map((move) => move.at)),
        ...(hasProfile === true ? person.profiles.map(({ from }) => from) : []),
      ].filter((each) => each > at),
    );
  };
  /** Waits until an instant, which may change meanwhile; an exit that is known by then ends the run. */
  const wait = (
    node: string,
    { from, until, wakes = {} }: { from: number; until: (at: number) => number; wakes?: Wakes },
  ): number => {
    for (let at = from; ;) {
      const next = Math.min(Math.max(until(at), at), nextWake(at, wakes));
      if (next > to) throw new Left({ ended: null, node });
      at = next;
      leaveIfOut(at, node);
      if (until(at) <= at) return at;
    }
  };

  const go = (nodes: readonly AutomationNode[], start: number): number => {
    let at = start;
    for (const node of nodes) at = pass(node, at);
    return at;
  };
  const pass = (node: AutomationNode, at: number): number => {
    if ('delay' in node) {
      const over = wait(node.id, { from: at, until: () => at + ms(node.delay) });
      say(over, node.id, 'passed');
      return over;
    }
    if ('until' in node) {
      const { until } = node;
      const end = (now: number): number => {
        if (!('attribute' in until)) {
          const {
            time,
            days,
            zone: whose,
          } = until as Parameters<typeof nextTime>[0] & {
            readonly zone?: string;
          };
          return nextTime(
            { time, ...(days !== undefined && { days }) },
            { from: at, zone: whose === 'application' ? ZONE : zone },
          );
        }
        const { endsOn } = profileAt(person, now);
        return endsOn === null ? now : dateInstant(endsOn, until, zone);
      };
      const isDate = 'attribute' in until;
      const over =
        end(at) <= at ? at : wait(node.id, { from: at, until: end, wakes: { hasProfile: isDate } });
      say(over, node.id, 'passed');
      return over;
    }
    if ('waitFor' in node) {
      const { waitFor } = node;
      const until = at + ms(node.timeout);
      const happens = whenAwaited(waitFor, at, until);
      const over =
        happens === at
          ? at
          : wait(node.id, {
              from: at,
              until: () => happens ?? until,
              wakes: {
                names: 'event' in waitFor ? [nameOf(waitFor)] : [],
                segments: 'segment' in waitFor ? [waitFor.segment] : [],
              },
            });
      say(over, node.id, 'passed', happens === null ? 'else' : 'then');
      return go(happens === null ? node.else : node.then, over);
    }
    if ('if' in node) {
      const answer = isTrue(node.if, person, at);
      say(at, node.id, 'passed', answer ? 'then' : 'else');
      return go(answer ? node.then : node.else, at);
    }
    if ('split' in node) {
      const total = node.split.reduce((sum, { weight }) => sum + weight, 0);
      const place = draw(node.id, person.userId) * total;
      let below = 0;
      const better = span.found?.get(node.id);
      const isFound = better !== undefined && at >= better.at;
      const chosen = isFound
        ? better.branch
        : node.split.findIndex(({ weight }) => (below += weight) > place);
      say(at, node.id, 'passed', isFound ? `winner:${chosen}` : String(chosen));
      return go(node.split[chosen]?.nodes ?? [], at);
    }
    if ('exit' in node) {
      say(at, node.id, 'exited');
      throw new Left({ ended: { at, status: 'exited' }, node: null });
    }
    if ('send' in node) return send(node, at);
    throw new TypeError('a node of no kind');
  };
  type SendNode = Extract<AutomationNode, { readonly send: unknown }>;
  const send = (node: SendNode, at: number): number => {
    if (!isLetThrough(at)) {
      say(at, node.id, 'skipped', 'filter');
      return at;
    }
    const { onUnreachable, quietHours } = node.send;
    const channel = channelOf(node.send, at);
    if (channel === null) {
      if (onUnreachable === 'exit') {
        say(at, node.id, 'exited', 'unreachable');
        throw new Left({ ended: { at, status: 'exited' }, node: null });
      }
      say(at, node.id, 'skipped', 'unreachable');
      return at;
    }
    const isHeldBack = quietHours === 'wait' && purpose === 'marketing' && channel === 'EMAIL';
    const quiet = isHeldBack ? endOfQuiet(at, QUIET, zone) : null;
    if (quiet !== null) return send(node, wait(node.id, { from: at, until: () => quiet }));
    say(at, node.id, 'sent', channel);
    sent.set(node.id, { at, reaches: reaches(channel, at) });
    lastSentAt = at;
    return at;
  };
  /** SMS is not configured. */
  const reaches = (channel: string, at: number): boolean =>
    channel === 'EMAIL' &&
    person.email !== null &&
    !(purpose === 'marketing' && profileAt(person, at).isUnsubscribed);
  const channelOf = (of: SendNode['send'], at: number): string | null => {
    if ('try' in of) return of.try.find(({ channel }) => reaches(channel, at))?.channel ?? null;
    return of.onUnreachable === 'exit' && !reaches(of.channel, at) ? null : of.channel;
  };
  /** The instant at which a wait is over, if what is awaited happens in time. */
  const whenAwaited = (
    awaited: Extract<AutomationNode, { readonly waitFor: unknown }>['waitFor'],
    at: number,
    until: number,
  ): number | null => {
    if ('message' in awaited) {
      const own = sent.get(awaited.message.node);
      if (own === undefined || awaited.was === 'clicked') return null;
      return own.reaches === (awaited.was === 'sent') ? at : null;
    }
    if ('segment' in awaited) {
      const wanted = awaited.when === 'enters';
      if (isMember(awaited.segment, person, at) === wanted) return at;
      return (
        movesOf(awaited.segment, person, span).find(
          (move) => move.at > at && move.at <= until && move.isMember === wanted,
        )?.at ?? null
      );
    }
    const arrivals = later
      .filter((deed) => isSuch(deed, awaited) && deed.time <= until && deed.receivedAt <= until)
      .map(({ receivedAt }) => Math.max(receivedAt, at));
    return arrivals.length === 0 ? null : Math.min(...arrivals);
  };

  try {
    leaveIfOut(enteredAt, definition.nodes[0]?.id ?? '');
    const at = go(definition.nodes, enteredAt);
    const until = (lastSentAt ?? at) + ms(definition.goalWindow ?? '7d');
    const isGoal = (exit: { readonly as?: 'goal' }): boolean => exit.as === 'goal';
    const reached = [
      ...later
        .filter(
          (deed) => exits.some((exit) => isGoal(exit) && isSuch(deed, exit)) && deed.time <= until,
        )
        .map(({ receivedAt }) => receivedAt),
      ...segmentExits.filter(isGoal).flatMap(({ segment, when }) =>
        movesOf(segment, person, span)
          .filter((move) => move.isMember === (when === 'enters'))
          .map((move) => move.at),
      ),
    ].filter((each) => each > at && each <= Math.min(until, to));
    if (reached.length > 0) say(Math.min(...reached), 'goal');
    return { lines, ended: { at, status: 'completed' }, node: null };
  } catch (left) {
    if (left instanceof Left) return { lines, ...left.walk };
    throw left;
  }
}

/** What a definition does with one person until an instant. */
export function evaluate(definition: AutomationDefinition, person: Person, span: Span): PlainRun[] {
  const { entry = { again: 'never' } } = definition;
  const runs: (PlainRun & {
    readonly at: number;
    readonly endsAt: number;
    readonly counts: boolean;
  })[] = [];
  for (const chance of chancesOf(definition, person, span)) {
    const { at, deed } = chance;
    if (at > span.to) continue;
    const key = entry.key === undefined ? '' : deed?.attributes.item;
    if (key === undefined) continue;
    // One that ends at this instant has not ended yet.
    if (runs.some((run) => run.key === key && run.endsAt >= at)) continue;
    const entered = runs.filter((run) => run.key === key && run.counts);
    const last = entered.at(-1)?.at;
    if (last !== undefined && entry.again === 'never') continue;
    if (last !== undefined && entry.again === 'after' && at - last < ms(entry.after ?? '0m'))
      continue;
    const { customUserId } = person;
    const frame = { customUserId, messageId: deed?.messageId ?? '', key, at };
    if (definition.filter !== undefined && !isTrue(definition.filter, person, at)) {
      // It keeps others out at this instant alone.
      runs.push({ ...frame, status: 'exited', lines: [], node: null, endsAt: at, counts: false });
      continue;
    }
    const { lines, ended, node } = walk(definition, person, { chance, span });
    runs.push({
      ...frame,
      status: ended?.status ?? 'active',
      lines,
      node,
      endsAt: ended?.at ?? Infinity,
      counts: true,
    });
  }
  return runs
    .filter(({ counts }) => counts)
    .map(({ at: _at, endsAt: _endsAt, counts: _counts, ...run }) => run);
}

const placeOf = ({ customUserId, messageId, lines }: PlainRun): string =>
  `${customUserId} ${messageId} ${lines[0]}`;

/** In any order that does not depend on who made them. */
export const byPlace = (one: PlainRun, other: PlainRun): number =>
  placeOf(one) < placeOf(other) ? -1 : 1;
