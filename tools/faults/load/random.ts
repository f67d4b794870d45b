/** Random numbers in [0, 1), reproducible from the seed. */
export type Random = () => number;

export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

export function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low);
}
