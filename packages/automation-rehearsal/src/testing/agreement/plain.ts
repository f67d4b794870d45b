import type {
  AutomationDefinition,
  AutomationNode,
  EventExit,
} from '@tidings/contracts/automations/definition';
import { createHash } from 'node:crypto';
import { HOUR_MS, MINUTE_MS, type Deed, type Person } from './history.ts';

/**
 * What an automation does with people, written down once more, without the code of the interpreter:
 * a run is walked through as a whole, from its entry to its end, by looking ahead in what its person
 * did. Conditions are asked of the history, not of the database.
 */
export type PlainRun = {
  readonly customUserId: string;
  readonly messageId: string;
  readonly key: string;
  readonly status: 'active' | 'completed' | 'exited';
  /** `instant node outcome reason`, without where it waits. */
  readonly lines: readonly string[];
  /** Where it is on the way. */
  readonly node: string | null;
};

const ms = (duration: string): number => {
  const unit = { m: MINUTE_MS, h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };
  return Number(duration.slice(0, -1)) * unit[duration.slice(-1) as keyof typeof unit];
};

/** Later by time, then by arrival, then by id. */
const isLater = (one: Deed, other: Deed): boolean =>
  one.time !== other.time
    ? one.time > other.time
    : one.receivedAt !== other.receivedAt
      ? one.receivedAt > other.receivedAt
      : one.messageId > other.messageId;

type Where = readonly { readonly gte?: number }[] | undefined;
const has = (deed: Deed, name: string, where: Where): boolean =>
  deed.name === name && (where ?? []).every(({ gte = 0 }) => deed.attributes.price >= gte);
type Named = { readonly event: unknown; readonly where?: unknown };
export const isSuch = (deed: Deed, named: Named): boolean =>
  has(deed, (named.event as { readonly name: string }).name, named.where as Where);

/** Conditions of `definitions.ts`. */
export function isTrue(condition: unknown, person: Person, at: number): boolean {
  const of = condition as Readonly<Record<string, unknown>>;
  if ('not' in of) return !isTrue(of['not'], person, at);
  if ('any' in of)
    return (of['any'] as readonly unknown[]).some((each) => isTrue(each, person, at));
  if ('attribute' in of) return person.plan === of['is'];
  if ('reachable' in of) return person.email !== null;
  const after = 'within' in of ? at - ms(String(of['within'])) : -Infinity;
  const { gte = 1 } = (of['count'] ?? {}) as { readonly gte?: number };
  const found = person.deeds.filter(
    (deed) => deed.name === 'view' && deed.time > after && deed.time <= at,
  );
  return found.length >= gte;
}

/** The part of a person in the branches of a split. */
const draw = (node: string, userId: string): number =>
  createHash('sha256').update(`${node}:${userId}`).digest().readUInt32BE() / 2 ** 32;

/** The better branch of a split, and when it was found. */
export type FoundBranch = { readonly branch: number; readonly at: number };
type Found = ReadonlyMap<string, FoundBranch>;

type Exit = EventExit;
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

function walk(
  definition: AutomationDefinition,
  person: Person,
  {
    trigger,
    enteredAt,
    to,
    found = new Map(),
  }: {
    readonly trigger: Deed;
    readonly enteredAt: number;
    readonly to: number;
    readonly found?: Found | undefined;
  },
): Walk {
  const isOfAnyone = 'from' in definition.trigger && definition.trigger.from === 'anyone';
  const later = person.deeds.filter(
    (deed) => (deed.isProved || isOfAnyone) && isLater(deed, trigger),
  );
  const lines = [`${enteredAt} entered`];
  const say = (at: number, ...words: readonly string[]): void => {
    lines.push([at, ...words].join(' '));
  };
  const isLetThrough = (at: number): boolean =>
    definition.filter === undefined ||
    definition.recheckFilter === false ||
    isTrue(definition.filter, person, at);
  const exits = (definition.exit ?? []).filter((exit) => 'event' in exit);
  /** When each message was made, and whether it reaches its person. */
  const sent = new Map<string, { readonly at: number; readonly reaches: boolean }>();
  let lastSentAt: number | null = null;

  /** The first of those known at an instant, which ends the run. */
  const exitAt = (at: number): { readonly deed: Deed; readonly exit: Exit } | null => {
    let first: { readonly deed: Deed; readonly exit: Exit } | null = null;
    for (const exit of exits)
      for (const deed of later)
        if (deed.receivedAt <= at && isSuch(deed, exit))
          if (first === null || isLater(first.deed, deed)) first = { deed, exit };
    return first;
  };
  const leaveIfOut = (at: number, node: string): void => {
    const out = exitAt(at);
    if (out === null) return;
    const isGoal = out.exit.as === 'goal';
    say(at, node, isGoal ? 'goal' : 'exited');
    throw new Left({ ended: { at, status: 'exited' }, node: null });
  };
  /** Waits until an instant; an exit that is received by then ends the run. */
  const wait = (
    node: string,
    { from, until }: { readonly from: number; readonly until: number },
  ): number => {
    const arrivals = later
      .filter((deed) => exits.some((exit) => isSuch(deed, exit)))
      .map(({ receivedAt }) => receivedAt)
      .filter((at) => at > from && at <= until);
    const first = Math.min(until, ...arrivals);
    if (first > to) throw new Left({ ended: null, node });
    leaveIfOut(first, node);
    return first;
  };

  const go = (nodes: readonly AutomationNode[], start: number): number => {
    let at = start;
    for (const node of nodes) at = pass(node, at);
    return at;
  };
  const pass = (node: AutomationNode, at: number): number => {
    if ('delay' in node) {
      const over = wait(node.id, { from: at, until: at + ms(node.delay) });
      say(over, node.id, 'passed');
      return over;
    }
    if ('waitFor' in node) {
      const until = at + ms(node.timeout);
      const happens = whenAwaited(node.waitFor as Parameters<typeof whenAwaited>[0], at, until);
      const over = happens === at ? at : wait(node.id, { from: at, until: happens ?? until });
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
      const better = found.get(node.id);
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
    if (!('send' in node)) throw new TypeError('a node of no kind');
    if (!isLetThrough(at)) {
      say(at, node.id, 'skipped', 'filter');
      return at;
    }
    const channel = channelOf(node.send as Parameters<typeof channelOf>[0]);
    if (channel === null) say(at, node.id, 'skipped', 'unreachable');
    else {
      say(at, node.id, 'sent', channel);
      sent.set(node.id, { at, reaches: reaches(channel) });
      lastSentAt = at;
    }
    return at;
  };
  /** SMS is not configured. */
  const reaches = (channel: string): boolean => channel === 'EMAIL' && person.email !== null;
  const channelOf = (
    send: { readonly try: readonly { readonly channel: string }[] } | { readonly channel: string },
  ): string | null =>
    'try' in send
      ? (send.try.find(({ channel }) => reaches(channel))?.channel ?? null)
      : send.channel;
  /** The instant at which a wait is over, if what is awaited happens in time. */
  const whenAwaited = (
    awaited: Named | { readonly message: { readonly node: string }; readonly was: string },
    at: number,
    until: number,
  ): number | null => {
    if ('message' in awaited) {
      const own = sent.get(awaited.message.node);
      if (own === undefined || awaited.was === 'clicked') return null;
      return own.reaches === (awaited.was === 'sent') ? at : null;
    }
    const arrivals = later
      .filter((deed) => isSuch(deed, awaited) && deed.time <= until && deed.receivedAt <= until)
      .map(({ receivedAt }) => Math.max(receivedAt, at));
    return arrivals.length === 0 ? null : Math.min(...arrivals);
  };

  try {
    leaveIfOut(enteredAt, firstOf(definition));
    const at = go(definition.nodes, enteredAt);
    const goals = exits.filter((exit) => exit.as === 'goal');
    const until = (lastSentAt ?? at) + ms(definition.goalWindow ?? '7d');
    const reached = later
      .filter(
        (deed) =>
          goals.some((exit) => isSuch(deed, exit)) &&
          deed.time <= until &&
          deed.receivedAt <= Math.min(until, to) &&
          deed.receivedAt > at,
      )
      .map(({ receivedAt }) => receivedAt);
    if (reached.length > 0) say(Math.min(...reached), 'goal');
    return { lines, ended: { at, status: 'completed' }, node: null };
  } catch (left) {
    if (left instanceof Left) return { lines, ...left.walk };
    throw left;
  }
}

const firstOf = ({ nodes }: AutomationDefinition): string => nodes[0]?.id ?? '';

/** What a definition does with one person until an instant. */
export function evaluate(
  definition: AutomationDefinition,
  person: Person,
  { from, to, found }: { readonly from: number; readonly to: number; readonly found?: Found },
): PlainRun[] {
  const { entry = { again: 'never' } } = definition;
  const trigger = definition.trigger as Named & {
    readonly maxAge?: string | null;
    readonly from?: 'anyone';
  };
  const maxAge = trigger.maxAge === undefined ? '1h' : trigger.maxAge;
  // Events may enter them when they are received, or once they are registered.
  const chances = person.deeds
    .filter(({ receivedAt }) => receivedAt >= from)
    .map((deed) => ({ deed, at: Math.max(deed.receivedAt, person.registeredAt) }))
    .toSorted((one, other) =>
      one.at === other.at && one.at === person.registeredAt
        ? Number(isLater(one.deed, other.deed)) - Number(isLater(other.deed, one.deed))
        : one.at - other.at,
    );
  const runs: (PlainRun & {
    readonly at: number;
    readonly endsAt: number;
    readonly counts: boolean;
  })[] = [];
  for (const { deed, at } of chances) {
    if (at > to || !isSuch(deed, trigger)) continue;
    if (!deed.isProved && trigger.from !== 'anyone') continue;
    if (maxAge !== null && at - deed.time > ms(maxAge)) continue;
    const key = entry.key === undefined ? '' : deed.attributes.item;
    if (key === undefined) continue;
    // One that ends at this instant has not ended yet.
    if (runs.some((run) => run.key === key && run.endsAt >= at)) continue;
    const entered = runs.filter((run) => run.key === key && run.counts);
    const last = entered.at(-1)?.at;
    if (last !== undefined && entry.again === 'never') continue;
    if (last !== undefined && entry.again === 'after' && at - last < ms(entry.after ?? '0m'))
      continue;
    const frame = { customUserId: person.customUserId, messageId: deed.messageId, key, at };
    if (definition.filter !== undefined && !isTrue(definition.filter, person, at)) {
      // It keeps others out at this instant alone.
      runs.push({ ...frame, status: 'exited', lines: [], node: null, endsAt: at, counts: false });
      continue;
    }
    const { lines, ended, node } = walk(definition, person, {
      trigger: deed,
      enteredAt: at,
      to,
      found,
    });
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

/** In any order that does not depend on who made them. */
export const byPlace = (one: PlainRun, other: PlainRun): number =>
  `${one.customUserId} ${one.messageId}` < `${other.customUserId} ${other.messageId}` ? -1 : 1;
