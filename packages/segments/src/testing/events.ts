import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import type { FollowingEvent } from '@tidings/contracts/segments/leaves/event';
import type { AttributeComparison, EventReference } from '@tidings/contracts/segments/leaves/parts';
import { at, compare, decimal, isInRange, isInWindow, ms } from './compare.ts';
import { EVENT_ATTRIBUTES } from './create-population.ts';
import { someComparison, somePath, someRange, someWindow } from './draw-parts.ts';
import type { Drawn, LeafModel } from './leaf-model.ts';
import type { Person, Population, StoredEvent } from './population.ts';
import type { Random } from './random.ts';
import { DURATIONS } from './values.ts';

type EventCondition = LeafOf<'event'>;

/** Events in memory. */
export const event: LeafModel<EventCondition> = {
  weight: 5,
  draw: drawEvent,
  evaluate(node, person, of) {
    const events = qualifyingEvents(node, person, of);
    if (!isInRange(decimal(events.length), node.count ?? { gte: 1 })) return false;
    const { neverFollowedBy } = node;
    if (
      neverFollowedBy !== undefined &&
      events.some((first) => hasFollower(first, neverFollowedBy, { person, of }))
    )
      return false;
    if (node.sum === undefined) return true;
    const sum = events.reduce((total, { revenue }) => total + decimal(revenue ?? 0), 0n);
    return isInRange(sum, node.sum);
  },
};

const EVENTS: readonly EventReference[] = [
  'viewd',
  'viewd',
  'seenx',
  'login',
  'chkot',
  'chkot',
  'stock',
  'never',
  'goner',
  { kind: 'action', name: 'name of login' },
];
const REVENUE_EVENTS: readonly EventReference[] = [
  'order',
  'order',
  'sales',
  { kind: 'revenue', name: 'name of sales' },
];

const FOLLOWS = [
  ['followedBy'],
  ['notFollowedBy'],
  ['neverFollowedBy'],
  ['neverFollowedBy'],
  ['followedBy', 'notFollowedBy'],
  ['followedBy', 'neverFollowedBy'],
  ['notFollowedBy', 'neverFollowedBy'],
] as const satisfies readonly (readonly (keyof EventCondition)[])[];

function drawEvent(random: Random, of: Drawn): EventCondition {
  const isRevenue = random.chance(0.3);
  const hasSum = isRevenue && random.chance(0.6);
  const follows = random.chance(0.4) ? random.pick(FOLLOWS) : [];
  return {
    event: random.pick(isRevenue ? REVENUE_EVENTS : EVENTS),
    ...someWindow(random, of),
    ...(!isRevenue && random.chance(0.3) && { where: someWhere(random, of) }),
    ...(random.chance(0.4) && { count: someRange(random, [0, 1, 2, 3, 2.5]) }),
    ...(hasSum && { sum: someRange(random, [0, 0.3, 19.99, 20.09, 100, 200]) }),
    ...(isRevenue &&
      (hasSum || random.chance(0.4)) && { currency: random.pick(['EUR', 'USD', 'JPY']) }),
    ...Object.fromEntries(follows.map((key) => [key, someFollowing(random, of)])),
    ...(random.chance(0.2) && { proved: true }),
  };
}

function someFollowing(random: Random, of: Drawn): FollowingEvent {
  const isRevenue = random.chance(0.4);
  return {
    event: random.pick(isRevenue ? REVENUE_EVENTS : EVENTS),
    ...(!isRevenue && random.chance(0.3) && { where: someWhere(random, of) }),
    ...(random.chance(0.6) && { in: random.pick(DURATIONS) }),
  };
}

const someWhere = (random: Random, of: Drawn): AttributeComparison[] =>
  random.some([0], random.integer(1, 2)).map(() => ({
    attribute: somePath(random, EVENT_ATTRIBUTES),
    ...someComparison(random, of),
  }));

/** Events that a leaf counts. */
function qualifyingEvents(
  condition: EventCondition,
  person: Person,
  of: Population,
): StoredEvent[] {
  const slugs = slugsOf(condition.event, of);
  return person.events.filter((each) => {
    if (!slugs.has(each.slug) || !isInWindow(each.time, condition, of.now)) return false;
    if (condition.currency !== undefined && each.currency !== condition.currency) return false;
    if (condition.proved === true && each.isProved !== true) return false;
    if (!isSuch(each, condition, of)) return false;
    if (
      condition.followedBy !== undefined &&
      !hasFollower(each, condition.followedBy, { person, of })
    )
      return false;
    const { notFollowedBy } = condition;
    if (notFollowedBy === undefined) return true;
    const isOver = notFollowedBy.in === undefined || each.time + ms(notFollowedBy.in) <= of.now;
    return isOver && !hasFollower(each, notFollowedBy, { person, of });
  });
}

/** Whether the event that a question is about did not come yet, and may still come in time. */
export function mayFollow(
  { notFollowedBy, neverFollowedBy, ...first }: EventCondition,
  person: Person,
  of: Population,
): boolean {
  const step = notFollowedBy ?? neverFollowedBy;
  return qualifyingEvents(first, person, of).some(
    (each) =>
      step?.in !== undefined &&
      each.time + ms(step.in) > of.now &&
      !hasFollower(each, step, { person, of }),
  );
}

type Where = { readonly person: Person; readonly of: Population };

const hasFollower = (first: StoredEvent, step: FollowingEvent, { person, of }: Where): boolean => {
  const slugs = slugsOf(step.event, of);
  return person.events.some(
    (other) =>
      slugs.has(other.slug) &&
      isLater(other, first) &&
      other.time <= of.now &&
      (step.in === undefined || other.time <= first.time + ms(step.in)) &&
      isSuch(other, step, of),
  );
};

function isLater(a: StoredEvent, b: StoredEvent): boolean {
  if (a.time !== b.time) return a.time > b.time;
  if (a.receivedAt !== b.receivedAt) return a.receivedAt > b.receivedAt;
  return Buffer.compare(Buffer.from(a.messageId), Buffer.from(b.messageId)) > 0;
}

export const isSuch = (
  { attributes }: StoredEvent,
  { where = [] }: Pick<FollowingEvent, 'where'>,
  of: Population,
): boolean =>
  where.every((comparison) =>
    compare(at(attributes ?? {}, comparison.attribute), comparison, { of, isMs: false }),
  );

export function slugsOf(
  reference: EventReference,
  { definitions }: Population,
): ReadonlySet<string> {
  const named = definitions.find((each) =>
    typeof reference === 'string'
      ? each.slug === reference
      : each.name === reference.name && each.kind === reference.kind,
  );
  const target = named?.mergedInto ?? named?.slug;
  return new Set(
    definitions
      .filter(
        ({ slug, mergedInto }) =>
          target !== undefined && (slug === target || mergedInto === target),
      )
      .map(({ slug }) => slug),
  );
}
