import { randomFrom } from '@tidings/testing';

/** Choices that are the same for the same seed. */
export type Random = {
  chance(probability: number): boolean;
  integer(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
  some<T>(values: readonly T[], count: number): T[];
  uuid(): string;
};

export function createRandom(seed: number): Random {
  const next = randomFrom(seed);
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const pick = <T>(values: readonly T[]): T => values[integer(0, values.length - 1)] as T;
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => integer(0, 15).toString(16)).join('');
  return {
    chance: (probability) => next() < probability,
    integer,
    pick,
    some: (values, count) => Array.from({ length: count }, () => pick(values)),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
}
