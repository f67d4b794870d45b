import {
  CHANNELS,
  MESSAGE_MILESTONES,
  type AttributeComparison,
  type AttributePath,
  type Comparison,
  type Condition,
  type EventCondition,
  type EventReference,
  type EventWindow,
  type FollowingEvent,
  type NumberRange,
} from '@tidings/contracts';
import {
  ATTRIBUTES,
  COUNTRIES_USED,
  EVENT_ATTRIBUTES,
  SEGMENTS,
  ZONES,
} from './create-population.ts';
import type { Population } from './population.ts';
import type { Random } from './random.ts';
import { DURATIONS, OPERANDS, PLANS, someTime } from './values.ts';

type Of = Pick<Population, 'now' | 'campaignIds'>;

/** A valid condition, the same for the same seed. */
export function createCondition(random: Random, of: Of, depth = 1): Condition {
  if (depth < 4 && random.chance(depth === 1 ? 0.6 : 0.3)) {
    const children = random
      .some([0], random.integer(1, 3))
      .map(() => createCondition(random, of, depth + 1));
    return random.pick<Condition>([
      { all: children },
      { any: children },
      { not: children[0] ?? { segment: 'vip' } },
    ]);
  }
  return createLeaf(random, of);
}

function createLeaf(random: Random, of: Of): Condition {
  switch (random.integer(0, 11)) {
    case 0:
      return createField(random, of);
    case 1:
    case 2:
    case 3:
      return {
        attribute: somePath(random, ATTRIBUTES),
        ...someComparison(random, of),
        ...(random.chance(0.25) && { proved: true }),
      };
    case 4:
      return { segment: random.pick([...SEGMENTS.keys()]) };
    case 5:
      return {
        reachable: random.pick(CHANNELS),
        ...(random.chance(0.5) && {
          purpose: random.pick(['transactional', 'marketing'] as const),
        }),
      };
    case 6:
      return {
        message: { campaignId: random.pick(of.campaignIds) },
        was: random.pick(MESSAGE_MILESTONES),
        ...someWindow(random, of),
      };
    default:
      return createEvent(random, of);
  }
}

function createField(random: Random, of: Of): Condition {
  const proved = random.chance(0.25) && { proved: true };
  switch (random.integer(0, 4)) {
    case 0:
      return { field: 'birthday', ...someInstants(random, of), ...proved };
    case 1:
      return { field: 'registeredAt', ...someInstants(random, of) };
    case 2:
      return {
        field: 'timeZone',
        ...(random.chance(0.5) ? { is: random.pick(ZONES) } : { startsWith: 'Europe' }),
      };
    case 3:
      return { field: 'firstName', ...someText(random, PLANS), ...proved };
    default:
      return { field: 'country', ...someText(random, COUNTRIES_USED), ...proved };
  }
}

const someText = (random: Random, texts: readonly string[]): Comparison =>
  random.pick<Comparison>([
    { is: random.pick(texts) },
    { isNot: random.pick(texts) },
    { in: random.some(texts, 2) },
    { notIn: random.some(texts, 2) },
    { exists: random.chance(0.5) },
    { contains: random.pick(['D', 'e', 'o']) },
    { startsWith: random.pick(['D', 'p', 'P']) },
  ]);

const someComparison = (random: Random, of: Of): Comparison =>
  random.pick<() => Comparison>([
    () => ({ is: random.pick(OPERANDS) }),
    () => ({ isNot: random.pick(OPERANDS) }),
    () => ({ in: random.some(OPERANDS, 4) }),
    () => ({ notIn: random.some(OPERANDS, 4) }),
    () => someText(random, PLANS),
    () => someRange(random, [0, 5, 5.5, 50, 100, 1e21]),
    () => someInstants(random, of),
  ])();

function someRange(random: Random, limits: readonly number[]): NumberRange {
  return random.pick<NumberRange>([
    { gt: random.pick(limits) },
    { gte: random.pick(limits) },
    { lt: random.pick(limits) },
    { lte: random.pick(limits) },
    { gte: limits[0] ?? 0, lt: random.pick(limits) },
  ]);
}

function someInstants(random: Random, { now }: Of): Comparison {
  const moment = () =>
    random.pick([
      { ago: random.pick(DURATIONS) },
      { ahead: random.pick(DURATIONS) },
      someTime(random, now),
    ]);
  return random.pick<Comparison>([
    { before: moment() },
    { after: moment() },
    { before: moment(), after: moment() },
    { after: { ago: '90d' }, before: { ago: '1d' } },
  ]);
}

const somePath = (random: Random, keys: readonly string[]): AttributePath =>
  random.chance(0.75) ? random.pick(keys) : random.pick([['a', 'b'], ['a', 'b', '0'], ['plan']]);

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

function createEvent(random: Random, of: Of): EventCondition {
  const isRevenue = random.chance(0.3);
  const hasSum = isRevenue && random.chance(0.6);
  const follows = random.chance(0.35)
    ? random.pick(['followedBy', 'notFollowedBy', 'both'] as const)
    : null;
  return {
    event: random.pick(isRevenue ? REVENUE_EVENTS : EVENTS),
    ...someWindow(random, of),
    ...(!isRevenue && random.chance(0.3) && { where: someWhere(random, of) }),
    ...(random.chance(0.4) && { count: someRange(random, [0, 1, 2, 3, 2.5]) }),
    ...(hasSum && { sum: someRange(random, [0, 0.3, 19.99, 20.09, 100, 200]) }),
    ...(isRevenue &&
      (hasSum || random.chance(0.4)) && { currency: random.pick(['EUR', 'USD', 'JPY']) }),
    ...((follows === 'followedBy' || follows === 'both') && {
      followedBy: someFollowing(random, of),
    }),
    ...((follows === 'notFollowedBy' || follows === 'both') && {
      notFollowedBy: someFollowing(random, of),
    }),
    ...(random.chance(0.2) && { proved: true }),
  };
}

function someFollowing(random: Random, of: Of): FollowingEvent {
  const isRevenue = random.chance(0.4);
  return {
    event: random.pick(isRevenue ? REVENUE_EVENTS : EVENTS),
    ...(!isRevenue && random.chance(0.3) && { where: someWhere(random, of) }),
    ...(random.chance(0.6) && { in: random.pick(DURATIONS) }),
  };
}

const someWhere = (random: Random, of: Of): AttributeComparison[] =>
  random.some([0], random.integer(1, 2)).map(() => ({
    attribute: somePath(random, EVENT_ATTRIBUTES),
    ...someComparison(random, of),
  }));

function someWindow(random: Random, { now }: Of): EventWindow {
  if (random.chance(0.65)) return { within: random.pick(DURATIONS) };
  const [from, to] = [someTime(random, now), someTime(random, now)].toSorted((a, b) => a - b);
  return {
    ...(random.chance(0.5) && from !== undefined && { from }),
    ...(random.chance(0.5) && to !== undefined && { to: to + 1 }),
  };
}
