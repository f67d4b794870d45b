import type {
  AttributePath,
  Comparison,
  EventWindow,
  NumberRange,
} from '@tidings/contracts/segments/leaves/parts';
import type { Drawn } from './leaf-model.ts';
import type { Random } from './random.ts';
import { DURATIONS, OPERANDS, PLANS, someTime } from './values.ts';

export const someText = (random: Random, texts: readonly string[]): Comparison =>
  random.pick<Comparison>([
    { is: random.pick(texts) },
    { isNot: random.pick(texts) },
    { in: random.some(texts, 2) },
    { notIn: random.some(texts, 2) },
    { exists: random.chance(0.5) },
    { contains: random.pick(['D', 'e', 'o']) },
    { startsWith: random.pick(['D', 'p', 'P']) },
  ]);

export const someComparison = (random: Random, of: Drawn): Comparison =>
  random.pick<() => Comparison>([
    () => ({ is: random.pick(OPERANDS) }),
    () => ({ isNot: random.pick(OPERANDS) }),
    () => ({ in: random.some(OPERANDS, 4) }),
    () => ({ notIn: random.some(OPERANDS, 4) }),
    () => someText(random, PLANS),
    () => someRange(random, [0, 5, 5.5, 50, 100, 1e21]),
    () => someInstants(random, of),
  ])();

export function someRange(random: Random, limits: readonly number[]): NumberRange {
  return random.pick<NumberRange>([
    { gt: random.pick(limits) },
    { gte: random.pick(limits) },
    { lt: random.pick(limits) },
    { lte: random.pick(limits) },
    { gte: limits[0] ?? 0, lt: random.pick(limits) },
  ]);
}

export function someInstants(random: Random, { now }: Drawn): Comparison {
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

export const somePath = (random: Random, keys: readonly string[]): AttributePath =>
  random.chance(0.75) ? random.pick(keys) : random.pick([['a', 'b'], ['a', 'b', '0'], ['plan']]);

export function someWindow(random: Random, { now }: Drawn): EventWindow {
  if (random.chance(0.65)) return { within: random.pick(DURATIONS) };
  const [from, to] = [someTime(random, now), someTime(random, now)].toSorted((a, b) => a - b);
  return {
    ...(random.chance(0.5) && from !== undefined && { from }),
    ...(random.chance(0.5) && to !== undefined && { to: to + 1 }),
  };
}
